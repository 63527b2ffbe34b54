/** Ids are never reused, so that a fact after a tombstone is an older one. */
const MAX_IDS = 100_000;

/** Ids that a compacted topic has deleted; above a bound the oldest are dropped. */
export class GoneIds {
  private readonly ids = new Set<string>();

  constructor(private readonly max: number = MAX_IDS) {}

  add(id: string): void {
    this.ids.delete(id);
    this.ids.add(id);
    if (this.ids.size <= this.max) return;
    for (const oldest of this.ids) {
      this.ids.delete(oldest);
      return;
    }
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }
}
