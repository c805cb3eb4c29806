/**
 * Makes what a handler is given out of a slot, and tells apart what it gave back. Worker thread. User
 * code runs inside these calls and nowhere else on the record's path.
 */
import type { HandleFunction } from '../src/contract/handler.ts';
import { Outcome } from '../src/contract/outcome.ts';
import type { OutcomeCode } from '../src/contract/outcome.ts';
import { SLOT_HEADER_BYTES, SlotFloat, SlotWord } from '../src/ring/layout.ts';
import { toRunError } from '../src/ring/run-error.ts';
import type { RingMemory } from '../src/ring/slot.ts';
import { RunContext } from './context.ts';
import type { ThreadContext } from './context.ts';
import { PayloadCopies } from './payload.ts';
import { WorkerRecord } from './record.ts';
import type { SideChannel } from './side-channel.ts';

const IN_SLOT = -1;

export class Runner {
  readonly #memory: RingMemory;
  readonly #channel: SideChannel;
  readonly #handle: HandleFunction;
  readonly #thread: ThreadContext;
  readonly #copies = new PayloadCopies();
  #record: WorkerRecord | null = null;
  /** Made by the latest {@link prepare}. */
  context: RunContext | null = null;

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
  prepare(slot: number): void {
    const { words, floats } = this.#memory;
    const at = this.#memory.wordOf(slot);
    const float = at >> 1;
    this.#copyPayload(slot, at);
    const record = new WorkerRecord(
      this.#channel.partition(words[at + SlotWord.partition] as number),
      floats[float + SlotFloat.offset] as number,
      floats[float + SlotFloat.timestamp] as number,
      words[at + SlotWord.timestampType] as number,
      this.#copies.bytes,
      this.#copies.at,
      words[at + SlotWord.keyBytes] as number,
      words[at + SlotWord.valueBytes] as number,
      words[at + SlotWord.headerCount] as number,
    );
    const context = new RunContext(
      this.#thread,
      record,
      words[at + SlotWord.attempt] as number,
      words[at + SlotWord.generation] as number,
    );
    this.#record = record;
    this.context = context;
  }

  /** Calls the handler with what was prepared. Returns a promise, or null when it is done. */
  call(): Promise<unknown> | null {
    const { context } = this;
    if (this.#record === null || context === null) throw new Error('no record is prepared');
    const result = this.#handle(this.#record, context);
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

  #copyPayload(slot: number, at: number): void {
    const { words, buffer } = this.#memory;
    const length =
      Math.max(0, words[at + SlotWord.keyBytes] as number) +
      Math.max(0, words[at + SlotWord.valueBytes] as number) +
      (words[at + SlotWord.headersBytes] as number);
    const overflow = words[at + SlotWord.buffer] as number;
    if (overflow === IN_SLOT)
      this.#copies.copy(buffer, this.#memory.byteOf(slot) + SLOT_HEADER_BYTES, length);
    else this.#copies.copy(this.#channel.buffer(overflow), 0, length);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
