/**
 * Makes what a handler is given out of a slot, and tells apart what it gave back. Worker thread. User
 * code runs inside these calls and nowhere else on the record's path.
 */
import type { HandleFunction } from '../src/contract/handler.ts';
import { Outcome } from '../src/contract/outcome.ts';
import type { OutcomeCode } from '../src/contract/outcome.ts';
import { SLOT_HEADER_BYTES, SlotWord } from '../src/ring/layout.ts';
import { toRunError } from '../src/ring/run-error.ts';
import type { RingMemory } from '../src/ring/slot.ts';
import { recordOf, RunContext } from './context.ts';
import type { ThreadContext } from './context.ts';
import { WorkerRecord } from './record.ts';
import type { SideChannel } from './side-channel.ts';

const IN_SLOT = -1;

export class Runner {
  readonly #memory: RingMemory;
  readonly #channel: SideChannel;
  readonly #handle: HandleFunction;
  readonly #thread: ThreadContext;

  constructor(
    memory: RingMemory,
    channel: SideChannel,
    handle: HandleFunction,
    thread: ThreadContext,
  ) {
    this.#memory = memory;
    this.#channel = channel;
    this.#handle = handle;
    this.#thread = thread;
  }

  /** Makes record and context out of a slot. Runs no user code: what it throws is a bug of ours. */
  prepare(slot: number): RunContext {
    const { words, floats } = this.#memory;
    const at = this.#memory.wordOf(slot);
    const overflow = words[at + SlotWord.buffer] as number;
    const inSlot = overflow === IN_SLOT;
    const record = new WorkerRecord(
      this.#channel.partition(words[at + SlotWord.partition] as number),
      words,
      floats,
      at,
      inSlot ? this.#memory.bytes : this.#channel.buffer(overflow),
      inSlot ? this.#memory.byteOf(slot) + SLOT_HEADER_BYTES : 0,
    );
    return new RunContext(
      this.#thread,
      record,
      words[at + SlotWord.attempt] as number,
      words[at + SlotWord.generation] as number,
    );
  }

  /** Calls the handler. Returns a promise, or null when it is done. */
  call(context: RunContext): Promise<unknown> | null {
    const result = this.#handle(recordOf(context), context);
    // A promise that is no native one may call back twice or throw: `resolve` shields from that.
    return isThenable(result) ? Promise.resolve(result) : null;
  }

  /** What a thrown value means; an error goes to main ahead of its completion. */
  failed(slot: number, thrown: unknown): OutcomeCode {
    const error = toRunError(thrown);
    if (error.mark === 'skip') return Outcome.skipped;
    this.#channel.post({ kind: 'run-failed', slot, error });
    return Outcome.error;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
