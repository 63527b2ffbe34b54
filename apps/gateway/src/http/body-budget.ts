/**
 * Bounds the memory of all arriving bodies, and each holder's share. A limit per body alone would let ten
 * thousand slow connections fill the memory, and one client take everyone's room.
 */
export class BodyBudget {
  private heldBytes = 0;
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly maxBytes: number,
    private readonly shareBytes: number,
  ) {}

  /** Counts the bytes in any case (they are released in one sum); false when they exceed the budget. */
  take(holder: string, bytes: number): boolean {
    this.heldBytes += bytes;
    const share = (this.shares.get(holder) ?? 0) + bytes;
    this.shares.set(holder, share);
    return share <= this.shareBytes && this.heldBytes <= this.maxBytes;
  }

  release(holder: string, bytes: number): void {
    this.heldBytes -= bytes;
    const share = (this.shares.get(holder) ?? 0) - bytes;
    if (share > 0) this.shares.set(holder, share);
    else this.shares.delete(holder);
  }

  get bytes(): number {
    return this.heldBytes;
  }
}
