import assert from 'node:assert/strict';
import test from 'node:test';
import { Outcome } from '../../src/contract/outcome.ts';
import { withPool } from './harness.ts';

test('a handler is given exactly the record that was submitted', async () => {
  await withPool('echo.mjs', { options: { colour: 'red' } }, async (pool) => {
    pool.submit({
      offset: Number.MAX_SAFE_INTEGER,
      timestamp: 1_700_000_000_123,
      timestampType: 2,
      key: Buffer.from([0, 255, 128]),
      value: Buffer.from('größe'),
      headers: [
        ['h', Buffer.from([0, 1])],
        ['n', null],
        ['h', Buffer.alloc(0)],
        ['__proto__', Buffer.from('x')],
      ],
      attempt: 3,
      generation: 9,
    });
    pool.submit({ offset: 2 ** 31 + 5, key: Buffer.alloc(0), value: null, timestamp: -1 });
    pool.pool.flush();
    await pool.until(() => pool.lines.length === 2);
    assert.deepEqual(pool.lines[0]?.fields, {
      topic: 'orders',
      partition: 7,
      offset: Number.MAX_SAFE_INTEGER,
      timestamp: 1_700_000_000_123,
      timestampType: 'append',
      key: '00ff80',
      value: Buffer.from('größe').toString('hex'),
      headers: [
        ['h', '0001'],
        ['n', null],
        ['h', ''],
        ['__proto__', '78'],
      ],
      last: '',
      origin: {
        topic: 'orders',
        partition: 7,
        offset: Number.MAX_SAFE_INTEGER,
        timestamp: 1_700_000_000_123,
      },
      text: 'größe',
      attempt: 3,
      worker: 0,
      fence: { topic: 'orders', partition: 7, generation: 9, offset: Number.MAX_SAFE_INTEGER },
      options: { colour: 'red' },
    });
    const second = pool.lines[1]?.fields;
    assert.equal(second?.['key'], '');
    assert.equal(second['value'], null);
    assert.equal(second['text'], '');
    assert.equal(second['timestamp'], -1);
    assert.equal(second['offset'], 2 ** 31 + 5);
    assert.equal(second['last'], 'undefined');
    assert.deepEqual(pool.lines[0].record, {
      topic: 'orders',
      partition: 7,
      offset: Number.MAX_SAFE_INTEGER,
    });
    await pool.completed(2);
    assert.deepEqual(pool.rows(Outcome.ok), [0, 1]);
  });
});
