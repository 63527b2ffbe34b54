/** Ids are never reused, so that a fact after a tombstone is an older one, unless its incarnation is later. */
const MAX_IDS = 100_000;

/** Ids that a compacted topic has deleted; above a bound the oldest are dropped. */
export class GoneIds {
  /** The incarnation in which each was deleted. */
  private readonly ids = new Map<string, number>();

  constructor(private readonly max: number = MAX_IDS) {}

  add(id: string, incarnation: number): void {
    const known = this.ids.get(id) ?? incarnation;
    this.ids.delete(id);
    this.ids.set(id, Math.max(known, incarnation));
    if (this.ids.size <= this.max) return;
    for (const oldest of this.ids.keys()) {
      this.ids.delete(oldest);
      return;
    }
  }

  /** Whether the id was deleted in this incarnation or a later one: a restored database may have it again. */
  has(id: string, incarnation: number): boolean {
    const gone = this.ids.get(id);
    return gone !== undefined && gone >= incarnation;
  }
}
