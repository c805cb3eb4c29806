/**
 * The numbers under which this process knows topic-partitions: dense, handed out at first sight, kept
 * for the life of the process, so that everything else can index arrays. Main thread.
 */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export class PartitionRegistry {
  readonly #indexes = new Map<string, Map<number, number>>();
  readonly #names: TopicPartition[] = [];
  readonly #onNew: (index: number, topic: string, partition: number) => void;

  /** `onNew` is called once per number, before anything else learns of it. */
  constructor(onNew: (index: number, topic: string, partition: number) => void) {
    this.#onNew = onNew;
  }

  indexOf(topic: string, partition: number): number {
    let ofTopic = this.#indexes.get(topic);
    if (ofTopic === undefined) {
      ofTopic = new Map();
      this.#indexes.set(topic, ofTopic);
    }
    let index = ofTopic.get(partition);
    if (index === undefined) {
      index = this.#names.length;
      this.#names.push({ topic, partition });
      ofTopic.set(partition, index);
      this.#onNew(index, topic, partition);
    }
    return index;
  }

  nameOf(index: number): TopicPartition {
    const name = this.#names[index];
    if (name === undefined) throw new RangeError(`partition index ${String(index)} is unknown`);
    return name;
  }
}
