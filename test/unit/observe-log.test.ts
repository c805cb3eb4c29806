import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { LOG_EVENTS } from '../../src/observe/catalog.ts';
import type { LogEventName } from '../../src/observe/catalog.ts';
import { createLog, THROTTLE_MS } from '../../src/observe/log.ts';
import type { Log } from '../../src/observe/log.ts';

type Line = Readonly<Record<string, unknown>>;

function setUp(level: 'debug' | 'info' | 'error' | 'silent' = 'debug') {
  const texts: string[] = [];
  const clock = { now: 0 };
  const stream = { write: (text: string) => void texts.push(text) };
  const log: Log = createLog(level, 'json', { stream, now: () => clock.now });
  return { log, clock, texts, lines: () => texts.map((text) => JSON.parse(text) as Line) };
}

test('each event of the catalogue is one JSON line with its level, time, event and message', () => {
  const { log, texts, lines } = setUp();
  const names = Object.keys(LOG_EVENTS) as LogEventName[];
  for (const name of names) log.event(name, { one: 1 });
  assert.equal(texts.length, names.length);
  lines().forEach((line, at) => {
    const name = names[at] as LogEventName;
    const { time, ...rest } = line;
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { level, message } = LOG_EVENTS[name];
    assert.deepEqual(rest, { level, event: name, one: 1, msg: message });
    assert.match(texts[at] ?? '', /^[^\n]+\n$/);
  });
});

test('lines below the level are left out', () => {
  const { log, lines } = setUp('error');
  log.event('assigned');
  log.handler('warn', 'not shown');
  log.event('failed');
  assert.deepEqual(
    lines().map(({ event }) => event),
    ['failed'],
  );
  const silent = setUp('silent');
  silent.log.event('failed');
  assert.deepEqual(silent.texts, []);
});

test('a line of the handler has its own level and message, and cannot overwrite what the log writes', () => {
  const { log, texts, lines } = setUp();
  log.handler('warn', 'two\nlines', { level: 'fatal', time: 1, event: 'stopped', msg: 'x', a: 2 });
  const [line] = lines();
  assert.equal(texts.length, 1);
  assert.deepEqual(
    [line?.['level'], line?.['event'], line?.['msg'], line?.['a']],
    ['warn', 'handler', 'two\nlines', 2],
  );
  assert.deepEqual(
    [line?.['level_'], line?.['time_'], line?.['event_'], line?.['msg_']],
    ['fatal', 1, 'stopped', 'x'],
  );
  assert.equal((texts[0]?.match(/"level":/g) ?? []).length, 1);
});

test('a storm of one event is one line per interval, with the number of those left out', () => {
  const { log, clock, lines } = setUp();
  for (let at = 0; at < 5; at++) log.throttled('commit_failed', { code: 27 });
  clock.now = THROTTLE_MS - 1;
  log.throttled('commit_failed', { code: 27 });
  clock.now = THROTTLE_MS;
  log.throttled('commit_failed', { code: 27 });
  clock.now = 2 * THROTTLE_MS;
  log.throttled('commit_failed', { code: 27 });
  assert.deepEqual(
    lines().map(({ suppressed }) => suppressed),
    [undefined, 5, undefined],
  );
});

test('a storm of one error does not hide another one', () => {
  const { log, lines } = setUp();
  log.throttled('kafka_error', { code: -195 });
  log.throttled('kafka_error', { code: -195 });
  log.throttled('kafka_error', { code: -187 });
  log.throttled('commit_failed', { code: -187 });
  assert.deepEqual(
    lines().map(({ event, code }) => [event, code]),
    [
      ['kafka_error', -195],
      ['kafka_error', -187],
      ['commit_failed', -187],
    ],
  );
});

test('a line stays bounded whatever its fields hold', () => {
  const { log, texts, lines } = setUp();
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  log.handler('info', 'm'.repeat(100_000), {
    text: 'x'.repeat(1_000_000),
    list: Array<number>(5000).fill(1),
    wide: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${String(at)}`, at])),
    circle,
    big: 2n ** 64n,
    nan: Number.NaN,
    error: new RangeError('too far'),
  });
  assert.ok((texts[0]?.length ?? Infinity) < 40_000);
  const [line] = lines();
  const list = line?.['list'] as unknown[];
  assert.deepEqual([list.length, list.at(-1)], [201, '… 4800 more']);
  assert.equal((line?.['error'] as Line)['message'], 'too far');
  assert.equal(line?.['big'], '18446744073709551616');
});

test('the pretty form is one line for people with the same facts', () => {
  const texts: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      done();
    },
  });
  createLog('info', 'pretty', { stream }).event('assigned', { partitions: ['orders/0'] });
  assert.equal(texts.length, 1);
  assert.match(texts.join(''), /INFO.*partitions assigned.*orders\/0/);
});
