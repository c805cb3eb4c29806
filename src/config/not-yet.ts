/**
 * Keys that the contract names and this version does not implement. They are refused, never silently
 * accepted; a value that asks for what happens anyway (`same`) passes.
 */
export interface NotYet {
  readonly key: string;
  readonly same?: unknown;
}

export const NOT_YET: readonly NotYet[] = [
  { key: 'handler.timeoutMs' },
  { key: 'handler.graceMs' },
  { key: 'workers.recycleAfterRecords' },
  { key: 'workers.zeroCopy', same: false },
  { key: 'delivery', same: 'at-least-once' },
  { key: 'batch.records', same: 1 },
  { key: 'batch.waitMs', same: 0 },
  { key: 'retry.attempts', same: 1 },
  { key: 'retry.backoff' },
  { key: 'retry.topics', same: [] },
  { key: 'retry.keepOrder', same: false },
  { key: 'onExhausted', same: 'stop' },
  { key: 'deadLetter.topic' },
  { key: 'deadLetter.budget' },
  { key: 'deadLetter.spoolDir' },
  { key: 'deadLetter.headers' },
  { key: 'stall.afterMs' },
  { key: 'stall.action' },
  { key: 'checkpoint.store', same: 'none' },
  { key: 'http.adminToken' },
];
