/**
 * The handler tidemark runs in the benchmarks: the workload, and a count in the ledger. Worker threads.
 */
import type { HandleFunction, SetupContext } from '../../src/contract/handler.ts';
import type { KafkaRecord } from '../../src/contract/record.ts';
import { HOT_KEY } from '../contents.ts';
import { LedgerCell, sharedNow } from './ledger.ts';
import { createWork } from './work.ts';
import type { Work, WorkOptions } from './work.ts';

export interface BenchHandlerOptions {
  readonly work: WorkOptions;
  /** Counts only what does not have the hot key, with times. */
  readonly coldOnly: boolean;
}

let handleRecord: HandleFunction = () => {
  throw new Error('setup did not run');
};

function counting(work: Work<KafkaRecord>, cell: LedgerCell): HandleFunction {
  const finished = (): void => {
    cell.finished();
  };
  return (record) => {
    cell.started();
    const running = work(record);
    if (running !== undefined) return running.then(finished);
    cell.finished();
    return undefined;
  };
}

function countingCold(work: Work<KafkaRecord>, cell: LedgerCell): HandleFunction {
  const hot = Buffer.from(HOT_KEY);
  return async (record) => {
    cell.started();
    const cold = record.key?.equals(hot) !== true;
    await work(record);
    if (cold) cell.finishedAt(sharedNow());
  };
}

export default {
  setup({ options }: SetupContext): void {
    const { work: workOptions, coldOnly } = options as unknown as BenchHandlerOptions;
    const cell = LedgerCell.join();
    if (cell === null) throw new Error('there is no ledger: the bench starts this handler');
    const work = createWork<KafkaRecord>(workOptions, {
      value: (record) => record.value,
      header: (record, name) => record.header(name),
    });
    handleRecord = coldOnly ? countingCold(work, cell) : counting(work, cell);
  },
  handle: ((record, context) => handleRecord(record, context)) satisfies HandleFunction,
};
