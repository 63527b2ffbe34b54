/**
 * Bounds what all bodies that are still arriving hold together: a limit per body alone would let ten thousand
 * slow connections fill the memory.
 */
export class BodyBudget {
  private heldBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Counts the bytes in any case (they are released in one sum); false when they are too many. */
  take(bytes: number): boolean {
    this.heldBytes += bytes;
    return this.heldBytes <= this.maxBytes;
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
  }

  get bytes(): number {
    return this.heldBytes;
  }
}
