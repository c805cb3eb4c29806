/**
 * Guarantees watch what happens and know nothing of how it is brought about: the simulator and the
 * integration tests feed them the same facts. They share no code with the program.
 */

/** A promise of the program that was seen broken. */
export class GuaranteeError extends Error {
  override readonly name = 'GuaranteeError';
  readonly guarantee: string;

  constructor(guarantee: string, detail: string) {
    super(`${guarantee}: ${detail}`);
    this.guarantee = guarantee;
  }
}

/** A topic-partition under any name the caller likes. */
export type PartitionKey = string | number;

/** One record as a guarantee sees it, in one generation of its partition. */
export interface Sighting {
  readonly partition: PartitionKey;
  readonly generation: number;
  readonly offset: number;
  /** Names the lane inside the partition; null for a record without order. */
  readonly lane: string | number | null;
}

/** Text for messages. */
export function nameOf({ partition, generation, offset }: Omit<Sighting, 'lane'>): string {
  return `record ${String(partition)}@${String(offset)} in generation ${String(generation)}`;
}

/** Names a lane of one generation; null for a record without order. */
export function laneKey({ partition, generation, lane }: Sighting): string | null {
  return lane === null ? null : `${String(partition)}/${String(generation)}/${String(lane)}`;
}
