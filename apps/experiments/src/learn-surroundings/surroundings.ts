import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject } from '@truetally/contracts/validation';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { UUID_IN_ANY_CASE } from '@truetally/kernel';
import { countKnownCampaigns } from '../storage/surroundings.store.js';

/** How long a fact may be in transit, with a margin. */
const PATIENCE_MS = 2_000;
const INTERVAL_MS = 50;
/** Above the limit of an experiment, which is refused anyway. */
const MAX_AWAITED = 50;

/** This service's copy of sites and campaigns, which other services own. */
export class Surroundings {
  constructor(private readonly pool: Pool) {}

  /**
   * Waits briefly until the campaigns of a command are known: a merchant may name a campaign right after
   * creating it, while its fact is still in transit. After that the command is decided on what is known.
   */
  async caughtUp(message: unknown): Promise<void> {
    const ids = campaignIdsIn(message);
    if (ids.length === 0) return;
    const end = performance.now() + PATIENCE_MS;
    while (!(await this.knowsAll(ids)) && performance.now() < end) await pause(INTERVAL_MS);
  }

  private knowsAll(campaignIds: readonly string[]): Promise<boolean> {
    return whileAvailable(
      async () => (await countKnownCampaigns(this.pool, campaignIds)) === campaignIds.length,
    );
  }
}

function campaignIdsIn(message: unknown): readonly string[] {
  const body = isJsonObject(message) ? message['body'] : undefined;
  const given = isJsonObject(body) ? body['campaign_ids'] : undefined;
  if (!Array.isArray(given) || given.length > MAX_AWAITED) return [];
  const ids = (given as readonly unknown[]).filter(
    (id) => typeof id === 'string' && UUID_IN_ANY_CASE.test(id),
  );
  return [...new Set(ids.map((id) => String(id).toLowerCase()))];
}
