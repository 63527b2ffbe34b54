import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Elsewhere } from '../storage/erase-elsewhere.js';
import { nowOf, progressOfClickHouse } from '../storage/fact-progress.js';
import type { ClickHouse, Parameters } from './clickhouse-client.js';

const LOOK_MS = 200;
/** ClickHouse follows within seconds. Behind an outage it takes longer; then the step begins anew. */
const LONGEST_WAIT_MS = 600_000;

const TABLES = ['events', 'touches'] as const;
const REPLACED =
  'insert into replaced_keys select {site:UUID}, arrayJoin({known:Array(UUID)}), fromUnixTimestamp64Milli({moment:Int64})';
const OF_SITE = 'site_id = {site:UUID}';
const OF_KEYS = 'session_key in {known:Array(UUID)}';
const GIVEN_KEY =
  'session_key = arrayElement({given:Array(UUID)}, indexOf({known:Array(UUID)}, session_key))';

/** A session's key, and the one that it has from now on. */
export interface ReplacedKey {
  readonly known: string;
  readonly given: string;
}

/**
 * Erases in ClickHouse. What has been stored and not read yet would come later, so that each erasure waits until
 * everything from before it has been read. A mutation rewrites the rows on disk, and is done when it returns.
 */
export class ClickHouseErasure {
  constructor(
    private readonly clickHouse: Pick<ClickHouse, 'rows' | 'run'>,
    private readonly pool: Pick<Pool, 'query'>,
  ) {}

  /** Facts of the site are left out from now on. Counts its events. */
  ofSite(siteId: string): Elsewhere {
    const site = { site: siteId };
    return {
      count: async () => {
        await this.clickHouse.run('insert into erased_sites select {site:UUID}', site);
        await this.untilRead(await nowOf(this.pool));
        return this.count('events', 'true', site);
      },
      erase: async () => {
        for (const table of [...TABLES, 'replaced_keys']) {
          await this.clickHouse.run(`alter table ${table} delete where ${OF_SITE}`, site);
        }
      },
    };
  }

  /** Counts the rows that have the known keys. Facts from before that come again bring none of them back. */
  ofKeys(siteId: string, keys: readonly ReplacedKey[]): Elsewhere {
    const known = keys.map((key) => key.known);
    const asked = { site: siteId, known };
    const values = { ...asked, given: keys.map((key) => key.given) };
    let moment = 0;
    return {
      count: async () => {
        moment = await nowOf(this.pool);
        await this.untilRead(moment);
        const counts = await Promise.all(TABLES.map((table) => this.count(table, OF_KEYS, asked)));
        return counts.reduce((sum, count) => sum + count, 0);
      },
      erase: async () => {
        await this.clickHouse.run(REPLACED, { ...asked, moment });
        // What was being read meanwhile has looked for these keys before, and may come behind the mutation.
        await this.untilRead(await nowOf(this.pool));
        for (const table of TABLES) {
          if ((await this.count(table, OF_KEYS, asked)) === 0) continue;
          await this.clickHouse.run(
            `alter table ${table} update ${GIVEN_KEY} where ${OF_SITE} and ${OF_KEYS}`,
            values,
          );
        }
      },
    };
  }

  private async count(table: string, condition: string, values: Parameters): Promise<number> {
    const sql = `select count() as rows from ${table} final where ${OF_SITE} and ${condition}`;
    const [found] = await this.clickHouse.rows<{ rows: number }>(sql, values);
    return found?.rows ?? 0;
  }

  private async untilRead(momentMs: number): Promise<void> {
    const deadlineMs = performance.now() + LONGEST_WAIT_MS;
    while ((await progressOfClickHouse(this.pool)) < momentMs) {
      if (performance.now() > deadlineMs)
        throw new Error('ClickHouse has not read yet what was stored before the erasure.');
      await delay(LOOK_MS);
    }
  }
}
