/** At least once: every record that was produced is finished by somebody. */
import { GuaranteeError } from './guarantee.ts';
import type { PartitionKey } from './guarantee.ts';

export class AtLeastOnce {
  readonly #missing = new Map<PartitionKey, Set<number>>();
  #produced = 0;
  #runs = 0;

  produced(partition: PartitionKey, offset: number): void {
    let offsets = this.#missing.get(partition);
    if (offsets === undefined) this.#missing.set(partition, (offsets = new Set()));
    offsets.add(offset);
    this.#produced++;
  }

  finished(partition: PartitionKey, offset: number): void {
    this.#missing.get(partition)?.delete(offset);
    this.#runs++;
  }

  /** Runs beyond one for each record. Meaningful once everything is finished. */
  get repeats(): number {
    return this.#runs - this.#produced;
  }

  isFinished(partition: PartitionKey, offset: number): boolean {
    return this.#missing.get(partition)?.has(offset) !== true;
  }

  /** Everything must be finished by now. */
  complete(): void {
    for (const [partition, offsets] of this.#missing) {
      if (offsets.size === 0) continue;
      const some = [...offsets].slice(0, 5).join(', ');
      throw new GuaranteeError(
        'at least once',
        `${String(offsets.size)} records of ${String(partition)} never finished, among them ${some}`,
      );
    }
  }
}
