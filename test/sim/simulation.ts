/**
 * One run of the simulator: a storm of faults; then the faults stop and everything must drain, be
 * committed to the end of the logs and be handled at least once; then, sometimes, an ordered stop.
 */
import { GuaranteeError } from '../guarantees/guarantee.ts';
import { Process } from './process.ts';
import { drawAction, drawProfile } from './profile.ts';
import type { ActionName, Profile } from './profile.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const EVENTS_MAX = 400_000;
const CALM_TICK_MS = 40;

export interface RunResult {
  readonly seed: number;
  readonly records: number;
  readonly turns: number;
  readonly processes: number;
  readonly virtualMs: number;
}

/** Runs one seed; throws with one line that says how to replay it. `steps` overrides the storm's length. */
export function runSeed(seed: number, steps: number | null = null): RunResult {
  try {
    return new Simulation(seed, steps).run();
  } catch (error) {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const flags = steps === null ? '' : ` --steps ${String(steps)}`;
    throw new Error(`${what} (replay: npm run sim -- --seed ${String(seed)}${flags})`, {
      cause: error,
    });
  }
}

class Simulation {
  readonly #seed: number;
  readonly #random: Random;
  readonly #profile: Profile;
  readonly #world: World;
  #process: Process | null = null;
  #turns = 0;
  #events = 0;
  #ending = false;

  constructor(seed: number, steps: number | null) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#profile = drawProfile(this.#random, steps);
    this.#world = new World(this.#profile, this.#random);
  }

  run(): RunResult {
    for (let left = this.#profile.backlog; left > 0; left -= this.#profile.batch)
      this.#world.append();
    this.#startProcess();
    this.#storm(this.#profile.steps);
    this.#untilQuiet();
    this.#checkComplete();
    if (this.#random.chance(0.5)) this.#stopAtEnd();
    return {
      seed: this.#seed,
      records: this.#world.logs.reduce((sum, { records }) => sum + records.length, 0),
      turns: this.#turns + (this.#process?.turns ?? 0),
      processes: this.#world.processes,
      virtualMs: this.#world.clock.now,
    };
  }

  #startProcess(): void {
    this.#turns += this.#process?.turns ?? 0;
    this.#process = new Process(this.#world);
  }

  /** One action after the other, then calm. */
  #storm(left: number): void {
    this.#after(this.#random.next() * 2 * this.#profile.pauseMs, () => {
      if (left === 0) {
        this.#calm();
        return;
      }
      if (this.#process !== null) this.#act(drawAction(this.#profile, this.#random), this.#process);
      this.#storm(left - 1);
    });
  }

  #act(action: ActionName, process: Process): void {
    const { group } = process;
    switch (action) {
      case 'append':
        this.#append(process);
        return;
      case 'rebalance':
        this.#rebalance(process);
        return;
      case 'loss':
        group.lose(this.#profile.protocol === 'eager' ? group.owned : this.#some(group.owned));
        return;
      case 'death':
        for (const worker of this.#random.some(process.workers, 0.4)) worker.die();
        return;
      case 'leave':
        for (const worker of this.#random.some(process.workers, 0.4)) worker.leave();
        return;
      case 'stop':
        process.stop(this.#profile.stopDrainMs);
        return;
      case 'crash':
        process.close();
        this.#process = null;
        this.#after(this.#random.next() * 10, () => {
          this.#startProcess();
        });
        return;
    }
  }

  #append(process: Process): void {
    const partition = this.#world.append();
    if (this.#profile.gap > 0 && this.#random.chance(0.3)) this.#world.appendMarkers(partition);
    process.source.fetchSoon(partition);
  }

  #rebalance({ group }: Process): void {
    if (group.waitsForAnswer) {
      // Something newer than the revocation that waits for its answer (G3).
      if (this.#random.chance(0.1)) group.lose(group.owned);
      else if (this.#random.chance(0.1)) this.#assign(group.away);
      return;
    }
    if (group.away.length > 0 && this.#random.chance(0.6)) this.#assign(group.away);
    else group.revoke(this.#profile.protocol === 'eager' ? group.owned : this.#some(group.owned));
  }

  /** Partitions come back, some after another member has done a part of them. */
  #assign(partitions: readonly number[]): void {
    const chosen = this.#world.storm ? this.#some(partitions) : partitions;
    for (const partition of chosen) if (this.#random.chance(0.3)) this.#doElsewhere(partition);
    this.#process?.group.assign(chosen);
  }

  #doElsewhere(partition: number): void {
    const records = this.#world.from(partition, this.#world.committed[partition] ?? 0);
    const done = records.slice(0, this.#random.int(0, 10));
    for (const { offset } of done) this.#world.atLeastOnce.finished(partition, offset);
    const last = done.at(-1);
    if (last !== undefined) this.#world.store(partition, last.offset + 1);
  }

  #some(partitions: readonly number[]): number[] {
    return this.#random.some(partitions, this.#random.pick([0.3, 0.6, 1]));
  }

  /** Faults stop, the logs end, everything is given back. */
  #calm(): void {
    this.#world.storm = false;
    this.#world.repaired = true;
    for (let partition = 0; partition < this.#profile.partitions; partition++)
      this.#world.appendMarkers(partition);
    for (let partition = 0; partition < this.#profile.partitions; partition++)
      this.#process?.source.fetchSoon(partition);
    this.#giveBack();
  }

  #giveBack(): void {
    const group = this.#process?.group;
    if (group?.away.length === 0 && !group.waitsForAnswer) return;
    // A process that starts gets its first assignment by itself.
    if (group?.waitsForAnswer === false && group.joined) this.#assign(group.away);
    this.#after(CALM_TICK_MS, () => {
      this.#giveBack();
    });
  }

  #untilQuiet(): void {
    while (this.#world.clock.step()) {
      if (++this.#events > EVENTS_MAX)
        throw new GuaranteeError('progress', 'no rest after very many events');
      const process = this.#process;
      if (process?.stopped === true) this.#afterStop(process);
    }
  }

  /** A stop with nothing left over has committed all that is finished. The next process takes over. */
  #afterStop(process: Process): void {
    if (this.#ending) return;
    if (process.core.leftOver === 0) process.group.checkStopped();
    process.close();
    this.#process = null;
    // Somebody looked at the record that stopped it.
    if (process.core.recordFailed) this.#world.repaired = true;
    this.#after(this.#random.next() * 10, () => {
      this.#startProcess();
      if (!this.#world.storm) this.#giveBack();
    });
  }

  #checkComplete(): void {
    const { atLeastOnce, logs, committed } = this.#world;
    atLeastOnce.complete();
    const positions = logs.map(
      ({ end }, partition) => `${String(committed[partition])}/${String(end)}`,
    );
    if (!this.#world.complete)
      throw new GuaranteeError('commits', `positions of ends: ${positions.join(' ')}`);
    const process = this.#process;
    if (process === null) throw new GuaranteeError('simulator', 'no process is left');
    const { rows, lanes } = process.core.state;
    const left = [rows.size, lanes.size, process.source.handles];
    if (left.some((count) => count > 0))
      throw new GuaranteeError('leak', `rows, lanes, handles left: ${left.join(', ')}`);
  }

  #stopAtEnd(): void {
    this.#ending = true;
    const process = this.#process;
    process?.stop(this.#profile.stopDrainMs);
    this.#untilQuiet();
    if (process?.stopped !== true || process.core.leftOver !== 0)
      throw new GuaranteeError('stop', 'with nothing to do it does not end clean');
  }

  #after(ms: number, run: () => void): void {
    this.#world.clock.at(this.#world.clock.now + ms, run);
  }
}
