/**
 * The inbox: callbacks only append here; a turn drains it in a fixed order. Pure; written from
 * anywhere on the main thread, read by the turn alone. Completions are not in it: they lie in the
 * workers' rings until the turn drains those.
 */
import type { AssignedPartition } from './assignment.ts';
import type { DeadRow } from './ports.ts';

export type RebalanceEvent =
  | {
      readonly kind: 'assigned';
      readonly partitions: readonly AssignedPartition[];
    }
  | {
      readonly kind: 'revoked';
      /** Number of the rebalance, given back with the release. */
      readonly rebalance: number;
      readonly partitions: readonly number[];
      /** Taken rather than asked back: nothing may be committed. */
      readonly lost: boolean;
    };

export class Inbox {
  #died: (readonly DeadRow[])[] = [];
  #commits: { readonly id: number; readonly error: number }[] = [];
  #rebalances: RebalanceEvent[] = [];
  #ready: number[] = [];
  #stop: number | null = null;

  get empty(): boolean {
    return (
      this.#died.length === 0 &&
      this.#commits.length === 0 &&
      this.#rebalances.length === 0 &&
      this.#ready.length === 0 &&
      this.#stop === null
    );
  }

  /** A worker's thread is gone; its exit was seen and its ring drained. */
  died(rows: readonly DeadRow[]): void {
    this.#died.push(rows);
  }

  commitResult(id: number, error: number): void {
    this.#commits.push({ id, error });
  }

  rebalance(event: RebalanceEvent): void {
    this.#rebalances.push(event);
  }

  /** A partition's queue went from empty to not empty. */
  ready(partition: number): void {
    this.#ready.push(partition);
  }

  /** Stop in order within `drainMs`. */
  stop(drainMs: number): void {
    this.#stop = Math.min(this.#stop ?? Infinity, drainMs);
  }

  takeDied(): readonly (readonly DeadRow[])[] {
    const taken = this.#died;
    if (taken.length > 0) this.#died = [];
    return taken;
  }

  takeCommits(): readonly { readonly id: number; readonly error: number }[] {
    const taken = this.#commits;
    if (taken.length > 0) this.#commits = [];
    return taken;
  }

  takeRebalances(): readonly RebalanceEvent[] {
    const taken = this.#rebalances;
    if (taken.length > 0) this.#rebalances = [];
    return taken;
  }

  takeReady(): readonly number[] {
    const taken = this.#ready;
    if (taken.length > 0) this.#ready = [];
    return taken;
  }

  takeStop(): number | null {
    const taken = this.#stop;
    this.#stop = null;
    return taken;
  }
}
