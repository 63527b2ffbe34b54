import { setTimeout as pause } from 'node:timers/promises';
import type { AwaitedVersions } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { failure, UUID_IN_ANY_CASE } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { countKnownCampaigns, knowsVersions } from '../storage/surroundings.store.js';

/** How long a fact may be in transit, with a margin. */
const PATIENCE_MS = 2_000;
const INTERVAL_MS = 50;
/** Above the limit of an experiment, which is refused anyway. */
const MAX_AWAITED = 50;

/** This service's copy of sites and campaigns, which other services own. */
export class SiteCopies {
  constructor(
    private readonly pool: Pool,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /**
   * Waits briefly until the copies are as new as what the asker knows, because an experiment keeps its currency for
   * ever. Then it waits for campaigns that the command names and nobody knows: a merchant may name one right after
   * creating it by another gateway. After that the command is decided on what is known.
   * @returns a refusal when the copies lag: the client may ask again
   */
  async caughtUp(message: unknown): Promise<ReturnType<typeof failure> | undefined> {
    const awaited = awaitedIn(message);
    if (!(await this.until(() => knowsVersions(this.pool, awaited))))
      return failure('UNAVAILABLE', 'A change of the site or its campaigns is not known here yet.');
    const ids = campaignIdsIn(message);
    if (ids.length > 0)
      await this.until(async () => (await countKnownCampaigns(this.pool, ids)) === ids.length);
    return undefined;
  }

  /** @returns whether it is so; false after the patience */
  private async until(isSo: () => Promise<boolean>): Promise<boolean> {
    const end = performance.now() + this.patienceMs;
    while (!(await whileAvailable(isSo))) {
      if (performance.now() >= end) return false;
      await pause(INTERVAL_MS);
    }
    return true;
  }
}

function awaitedIn(message: unknown): AwaitedVersions {
  const awaited = isJsonObject(message) ? message['awaits'] : undefined;
  const of = (kind: keyof AwaitedVersions): AwaitedVersions[keyof AwaitedVersions] => {
    const given = isJsonObject(awaited) ? awaited[kind] : undefined;
    const pairs = Object.entries(isJsonObject(given) ? given : {}).filter(
      (pair): pair is [string, number | null] =>
        UUID_IN_ANY_CASE.test(pair[0]) && (pair[1] === null || Number.isSafeInteger(pair[1])),
    );
    return Object.fromEntries(pairs);
  };
  return { sites: of('sites'), campaigns: of('campaigns') };
}

function campaignIdsIn(message: unknown): readonly string[] {
  const awaited = awaitedIn(message).campaigns;
  const body = isJsonObject(message) ? message['body'] : undefined;
  const given = isJsonObject(body) ? body['campaign_ids'] : undefined;
  if (!Array.isArray(given) || given.length > MAX_AWAITED) return [];
  const ids = (given as readonly unknown[]).filter(
    (id) => typeof id === 'string' && UUID_IN_ANY_CASE.test(id),
  );
  return [...new Set(ids.map((id) => String(id).toLowerCase()))].filter((id) => awaited[id] !== null);
}
