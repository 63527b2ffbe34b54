import { isPoison } from '@truetally/kernel';
import type { Logger } from '@truetally/platform';
import type { FoldStore } from '../storage/fold.store.js';
import type { FactsToFold } from './read-facts.js';
import { bySite, shareOut } from './share-out.js';

/** How long the facts of a site are set aside at once after some could not be folded in time. */
const SLOW_MS = 30_000;
const MAX_SLOW_SITES = 10_000;

/** Folds the facts of many sites together, and none at the cost of the others. */
export class FairFold {
  /** Until when (by `performance.now`) a site counts as slow. */
  private readonly slow = new Map<string, number>();

  constructor(
    private readonly store: Pick<FoldStore, 'fold' | 'setAside'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** @throws Postgres' error when it takes no facts at all, or refuses a value */
  async fold(facts: FactsToFold): Promise<void> {
    const { now, later } = shareOut(facts, (siteId) => this.isSlow(siteId));
    for (const piece of now) await this.foldPiece(piece);
    if (later.assigned.length + later.records.length > 0) await this.store.setAside(later);
  }

  /**
   * What fails together is tried by site. What fails alone is set aside: when Postgres stores it, the fault is not
   * Postgres', and other sites must not wait for it. When it does not, the facts wait as a whole.
   */
  private async foldPiece(piece: FactsToFold): Promise<void> {
    try {
      await this.store.fold(piece);
    } catch (error) {
      if (isPoison(error)) throw error;
      const sites = bySite(piece);
      if (sites.size <= 1) return this.setAside(piece, error);
      for (const [siteId, part] of sites) {
        if (this.isSlow(siteId)) await this.store.setAside(part);
        else await this.foldPiece(part);
      }
    }
  }

  private async setAside(piece: FactsToFold, error: unknown): Promise<void> {
    await this.store.setAside(piece);
    const siteId = piece.assigned[0]?.site_id ?? piece.records[0]?.siteId ?? '';
    if (this.slow.size >= MAX_SLOW_SITES) this.slow.clear();
    this.slow.set(siteId, performance.now() + SLOW_MS);
    this.log.warn({ err: error, siteId }, 'The facts of a site could not be folded in time: set aside.');
  }

  private isSlow(siteId: string): boolean {
    const until = this.slow.get(siteId);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.slow.delete(siteId);
    return false;
  }
}
