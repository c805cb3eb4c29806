/**
 * One thread's life as main sees it: its ring, its overflow buffers and its side channel. Main thread.
 * Made anew for every thread (S6); the hot path of the pool is here.
 *
 * A lane that failed. (1) A run fails; the worker marks its lane and hands back unrun whatever else of
 * the lane it meets. (2) Main may have submitted more of the lane meanwhile: those come back too.
 * (3) Main takes the failure's completion; the next record of that lane which it submits carries
 * `laneReopens`, and from there on the worker runs the lane again. Rings keep order, so nothing
 * submitted before (3) can run after a record that was submitted after it.
 */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { invariant } from '../contract/invariant.ts';
import { Outcome } from '../contract/outcome.ts';
import type { OutcomeCode, RunError } from '../contract/outcome.ts';
import type { CompletionSink, DeadRow, Submission } from '../core/ports.ts';
import { Control, SlotFloat, SlotState, SlotWord } from '../ring/layout.ts';
import type { FromWorker, PartitionName, ToWorker } from '../ring/messages.ts';
import { NO_ROW, SharedRing } from '../ring/shared-ring.ts';
import { RingMemory } from '../ring/slot.ts';
import { NO_BUFFER } from './memory.ts';
import type { PayloadMemory } from './memory.ts';
import { Overflow } from './overflow.ts';
import type { Staging } from './staging.ts';

const NO_HANDLE = -1;

/** A completion that its thread did not live to publish. */
export interface LateCompletion {
  readonly row: number;
  readonly outcome: OutcomeCode;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly error: RunError | null;
}

export class Incarnation {
  readonly ring: SharedRing;
  /** The worker's end of the side channel, to be sent with its task. */
  readonly workerPort: MessagePort;
  readonly #memory: PayloadMemory;
  readonly #staging: Staging;
  readonly #receive: (message: FromWorker) => void;
  readonly #port: MessagePort;
  readonly #overflow: Overflow;
  /** The intake's name for the ring's memory. */
  readonly #buffer: number;
  readonly #inlineBytes: number;
  /** Lanes whose failure was taken and of which nothing was submitted since. */
  readonly #failedLanes = new Set<number>();
  readonly #runErrors = new Map<number, RunError>();
  readonly #recalled: Int32Array;

  constructor(
    shape: { readonly slots: number; readonly slotBytes: number },
    memory: PayloadMemory,
    staging: Staging,
    receive: (message: FromWorker) => void,
  ) {
    const ringMemory = RingMemory.create(shape.slots, shape.slotBytes);
    const { port1, port2 } = new MessageChannel();
    this.ring = new SharedRing(ringMemory);
    this.workerPort = port2;
    this.#memory = memory;
    this.#staging = staging;
    this.#receive = receive;
    this.#port = port1;
    const { slotsAt, slotBytes, inlineBytes } = ringMemory.layout;
    this.#buffer = memory.registerBuffer(ringMemory.buffer, slotsAt, slotBytes);
    this.#inlineBytes = inlineBytes;
    this.#recalled = new Int32Array(shape.slots);
    this.#overflow = new Overflow(memory, (message) => {
      this.post(message);
    });
    port1.on('message', (message: FromWorker) => {
      this.#handle(message);
    });
  }

  post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  announce(name: PartitionName): void {
    this.post({ kind: 'partition', ...name });
  }

  submit(record: Submission): void {
    const { ring } = this;
    const overflow =
      record.payloadBytes > this.#inlineBytes
        ? this.#overflow.claim(record.payloadBytes)
        : NO_BUFFER;
    const reopens = this.#failedLanes.size > 0 && this.#failedLanes.delete(record.lane);
    const slot = ring.claim(record, overflow, reopens);
    const payloadBuffer = overflow === NO_BUFFER ? NO_BUFFER : this.#overflow.idOf(overflow);
    this.#staging.add(record.handle, this.#buffer, ring.memory.byteOf(slot), payloadBuffer);
  }

  /** Hands all published completions to `sink`. */
  drain(sink: CompletionSink, runFailed: (row: number, error: RunError) => void): void {
    const { completions, memory, rows } = this.ring;
    const count = completions.refresh();
    if (count === 0) return;
    const { words, floats } = memory;
    for (let left = count; left > 0; left--) {
      const slot = completions.take();
      const row = rows[slot] as number;
      const at = memory.wordOf(slot);
      if (memory.stateOf(slot) === SlotState.recalled) {
        this.#free(slot, at);
        // Without a row recall() has reported it already; with one its generation was aborted.
        if (row !== NO_ROW) sink.completion(row, Outcome.returned, 0, 0, NO_HANDLE);
        continue;
      }
      if (memory.stateOf(slot) !== SlotState.completed || row === NO_ROW)
        invariant(false, 'S5', `slot ${String(slot)} was reported complete and is not`);
      const outcome = words[at + SlotWord.outcome] as OutcomeCode;
      const startedAt = floats[(at >> 1) + SlotFloat.startedAt] as number;
      const durationMs = floats[(at >> 1) + SlotFloat.duration] as number;
      let handle = NO_HANDLE;
      if (outcome === Outcome.returned) handle = this.#park(slot);
      else if (outcome === Outcome.error) {
        const lane = words[at + SlotWord.lane] as number;
        if (lane >= 0) this.#failedLanes.add(lane);
        runFailed(row, this.#takeError(slot));
      }
      this.#free(slot, at);
      sink.completion(row, outcome, startedAt, durationMs, handle);
    }
    completions.release();
  }

  recall(max: number, rows: Int32Array, handles: Int32Array): number {
    const count = this.ring.recall(Math.min(max, rows.length), this.#recalled, rows);
    for (let at = 0; at < count; at++) handles[at] = this.#park(this.#recalled[at] as number);
    return count;
  }

  abort(partition: number, generation: number): void {
    this.ring.abort(partition, generation);
    this.post({ kind: 'abort', partition, generation });
  }

  /** Asks the thread to finish what was submitted and to leave. */
  leave(): void {
    Atomics.store(this.ring.memory.words, Control.command, 1);
    this.ring.bell.ring();
  }

  /**
   * The thread is gone: nobody writes the memory any more. What its handler had finished counts,
   * published or not; the rest is dead. Gives all memory back.
   */
  bury(): { readonly dead: readonly DeadRow[]; readonly late: readonly LateCompletion[] } {
    this.pump();
    const { memory, rows } = this.ring;
    const dead: DeadRow[] = [];
    const late: LateCompletion[] = [];
    for (const [slot, row] of rows.entries()) {
      if (row === NO_ROW) continue;
      const at = memory.wordOf(slot);
      const state = memory.stateOf(slot);
      const outcome = memory.words[at + SlotWord.outcome] as OutcomeCode;
      if (state === SlotState.completed && outcome !== Outcome.returned)
        late.push({
          row,
          outcome,
          startedAt: memory.floats[(at >> 1) + SlotFloat.startedAt] as number,
          durationMs: memory.floats[(at >> 1) + SlotFloat.duration] as number,
          error: outcome === Outcome.error ? this.#takeError(slot) : null,
        });
      else dead.push({ row, handle: this.#park(slot), ran: state === SlotState.running });
    }
    this.close();
    return { dead, late };
  }

  /** Gives all memory back and closes the side channel. The thread must be gone. */
  close(): void {
    this.#port.close();
    this.#overflow.close();
    this.#memory.unregisterBuffer(this.#buffer);
  }

  /** Reads what the worker has posted, now instead of in a later turn of the event loop. */
  pump(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { message: FromWorker } | undefined;
      if (received === undefined) return;
      this.#handle(received.message);
    }
  }

  #handle(message: FromWorker): void {
    if (message.kind === 'run-failed') this.#runErrors.set(message.slot, message.error);
    else this.#receive(message);
  }

  /** The error went ahead of its completion, so it is here or waits at the port. */
  #takeError(slot: number): RunError {
    if (!this.#runErrors.has(slot)) this.pump();
    const error = this.#runErrors.get(slot);
    this.#runErrors.delete(slot);
    return error ?? { name: 'Error', message: 'the error was lost with its thread', stack: '' };
  }

  #park(slot: number): number {
    const { memory } = this.ring;
    const number = memory.words[memory.wordOf(slot) + SlotWord.buffer] as number;
    const payloadBuffer = number === NO_BUFFER ? NO_BUFFER : this.#overflow.idOf(number);
    return this.#memory.parkFromSlot(this.#buffer, memory.byteOf(slot), payloadBuffer);
  }

  #free(slot: number, at: number): void {
    const overflow = this.ring.memory.words[at + SlotWord.buffer] as number;
    if (overflow !== NO_BUFFER) this.#overflow.free(overflow);
    this.ring.free(slot);
  }
}
