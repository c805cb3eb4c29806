/** What outlives a process: the logs, the group's positions, the guarantees, the clock. */
import { AtLeastOnce } from '../guarantees/at-least-once.ts';
import { BoundedWindow } from '../guarantees/bounded-window.ts';
import { CommitSafety } from '../guarantees/commit-safety.ts';
import { LaneOrder } from '../guarantees/lane-order.ts';
import { NoLostWakeUp } from '../guarantees/no-lost-wake-up.ts';
import { SerialLane } from '../guarantees/serial-lane.ts';
import { Clock } from './clock.ts';
import type { Profile } from './profile.ts';
import type { Random } from './random.ts';

export interface LogRecord {
  readonly partition: number;
  readonly offset: number;
  /** Null for a record without key. */
  readonly key: number | null;
  readonly bytes: number;
  readonly poison: 'none' | 'throws' | 'kills';
  /** Where nothing is, and the log ends for now. */
  readonly end: boolean;
}

interface Log {
  readonly records: LogRecord[];
  end: number;
}

export class World {
  readonly clock = new Clock();
  readonly profile: Profile;
  readonly random: Random;
  readonly logs: readonly Log[];
  /** The group's positions, as the broker has them. */
  readonly committed: (number | null)[];
  /** Changes with every rebalance: the broker refuses commits of an older one. */
  epoch = 0;
  /** Faults happen; false from the second phase on. */
  storm = true;
  /** Poisoned records are poisoned no more: somebody repaired the handler. */
  repaired = false;
  /** Processes that were started so far. */
  processes = 0;
  readonly atLeastOnce = new AtLeastOnce();
  readonly commitSafety = new CommitSafety();
  readonly laneOrder = new LaneOrder();
  readonly serialLane = new SerialLane();
  window: BoundedWindow;
  wakeUps = new NoLostWakeUp();

  constructor(profile: Profile, random: Random) {
    this.profile = profile;
    this.random = random;
    this.logs = Array.from({ length: profile.partitions }, () => ({ records: [], end: 0 }));
    this.committed = this.logs.map(() => null);
    this.window = new BoundedWindow(profile.core.window);
  }

  /** A new process holds nothing. */
  forgetProcess(): void {
    this.window = new BoundedWindow(this.profile.core.window);
    this.wakeUps = new NoLostWakeUp();
  }

  /** Appends a batch to one partition and returns its number. */
  append(): number {
    const { profile, random } = this;
    const partition = random.int(0, profile.partitions - 1);
    for (let left = random.int(1, profile.batch); left > 0; left--) this.#appendOne(partition);
    return partition;
  }

  /** Transaction markers at the end: offsets that hold no record. */
  appendMarkers(partition: number): void {
    const log = this.logs[partition];
    if (log !== undefined) log.end += this.random.int(0, 2);
  }

  logEnd(partition: number): number {
    return this.logs[partition]?.end ?? 0;
  }

  /** The records from a position on. */
  from(partition: number, position: number): LogRecord[] {
    const records = this.logs[partition]?.records ?? [];
    let at = records.length;
    while (at > 0 && (records[at - 1]?.offset ?? 0) >= position) at--;
    return records.slice(at);
  }

  /** The broker takes a position. */
  store(partition: number, position: number): void {
    this.committed[partition] = position;
    this.commitSafety.stored(partition, position);
  }

  /** Everything is handled and committed to the end. */
  get complete(): boolean {
    return this.logs.every((log, partition) => this.committed[partition] === log.end);
  }

  #appendOne(partition: number): void {
    const { profile, random } = this;
    const log = this.logs[partition];
    if (log === undefined) return;
    if (random.chance(profile.gap)) log.end += random.int(1, 5);
    const draw = random.next();
    const record: LogRecord = {
      partition,
      offset: log.end,
      key: random.chance(profile.nullKey)
        ? null
        : random.chance(profile.hot)
          ? 0
          : random.int(0, profile.keys - 1),
      bytes: random.int(0, profile.recordBytes),
      poison:
        draw < profile.throwing
          ? 'throws'
          : draw < profile.throwing + profile.killing
            ? 'kills'
            : 'none',
      end: false,
    };
    log.records.push(record);
    log.end++;
    this.atLeastOnce.produced(partition, record.offset);
    this.commitSafety.produced(partition, record.offset);
  }
}

/** The name of a record's lane inside its partition, by ordering mode; null for none. */
export function laneOf(record: LogRecord, profile: Profile): number | null {
  if (profile.core.ordering === 'partition') return 0;
  if (profile.core.ordering === 'none' || record.key === null) return null;
  return profile.collisions ? record.key % 3 : record.key;
}
