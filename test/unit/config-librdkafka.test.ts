import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIBRDKAFKA_PROPERTIES } from '../../src/config/librdkafka-properties.ts';
import {
  DATA_FILE,
  projectRoot,
  propertyLines,
  renderDataFile,
} from './config-librdkafka-table.ts';

test('the table of librdkafka properties equals that of the installed package', () => {
  const file = join(projectRoot(), DATA_FILE);
  const current = readFileSync(file, 'utf8');
  const expected = renderDataFile(current, propertyLines());
  if (process.env['TIDEMARK_TEST_WRITE'] === '1') writeFileSync(file, expected);
  else assert.equal(current, expected);
});

test('a property carries its scope, type and range', () => {
  const poll = LIBRDKAFKA_PROPERTIES.get('max.poll.interval.ms');
  assert.deepEqual(poll, {
    name: 'max.poll.interval.ms',
    scope: 'C',
    level: 'global',
    type: 'integer',
    min: 1,
    max: 86_400_000,
    values: [],
  });
  assert.deepEqual(LIBRDKAFKA_PROPERTIES.get('isolation.level')?.values, [
    'read_uncommitted',
    'read_committed',
  ]);
  assert.equal(LIBRDKAFKA_PROPERTIES.get('linger.ms')?.scope, 'P');
  assert.equal(LIBRDKAFKA_PROPERTIES.get('compression.codec')?.level, 'global');
});
