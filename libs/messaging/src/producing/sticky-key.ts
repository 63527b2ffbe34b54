import { randomInt } from 'node:crypto';

/** Of values with one key. About what a busy producer sends at once. */
const STRETCH_CHARACTERS = 64 * 1024;
const KEYS = 2 ** 32;

/**
 * Keys for messages that may go to any partition. Kafka's work grows with the number of partitions of a send more
 * than with its messages, so that a stretch of values gets one key, and with it one partition; the next stretch gets
 * another key. A random key for each message would touch every partition with every send.
 */
export class StickyKey {
  /** Processes that start together must not go from partition to partition together. */
  private key = randomInt(KEYS);
  private characters = 0;

  /** @param stretchCharacters length of the values after which the key changes */
  constructor(private readonly stretchCharacters: number = STRETCH_CHARACTERS) {}

  keyOf(value: string): string {
    if (this.characters >= this.stretchCharacters) {
      this.key = (this.key + 1) % KEYS;
      this.characters = 0;
    }
    this.characters += value.length;
    return this.key.toString(36);
  }
}
