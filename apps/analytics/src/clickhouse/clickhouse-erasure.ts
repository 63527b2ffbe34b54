import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { progressOfClickHouse } from '../storage/fact-progress.js';
import type { ClickHouse } from './clickhouse-client.js';

const LOOK_MS = 200;
/** ClickHouse follows within seconds; a step of a job that waits longer is repeated. */
const LONGEST_WAIT_MS = 20_000;

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
    private readonly clickHouse: ClickHouse,
    private readonly pool: Pool,
  ) {}

  /** Facts of the site are left out from now on. @returns the number of events that were erased */
  async eraseSite(siteId: string): Promise<number> {
    const site = { site: siteId };
    await this.clickHouse.run('insert into erased_sites select {site:UUID}', site);
    await this.untilRead(Date.now());
    const [row] = await this.clickHouse.rows<{ events: number }>(
      'select count() as events from events final where site_id = {site:UUID}',
      site,
    );
    for (const table of ['events', 'touches']) {
      await this.clickHouse.run(`alter table ${table} delete where site_id = {site:UUID}`, site);
    }
    return row?.events ?? 0;
  }

  /** @returns the number of rows that had these keys */
  async replaceKeys(siteId: string, keys: readonly ReplacedKey[]): Promise<number> {
    await this.untilRead(Date.now());
    const known = keys.map((key) => key.known);
    const values = { site: siteId, known, given: keys.map((key) => key.given) };
    let rows = 0;
    for (const table of ['events', 'touches']) {
      const found = await this.clickHouse.rows<{ rows: number }>(
        `select count() as rows from ${table} final where site_id = {site:UUID} and session_key in {known:Array(UUID)}`,
        { site: siteId, known },
      );
      const count = found[0]?.rows ?? 0;
      rows += count;
      if (count === 0) continue;
      await this.clickHouse.run(
        `alter table ${table} update
           session_key = arrayElement({given:Array(UUID)}, indexOf({known:Array(UUID)}, session_key))
         where site_id = {site:UUID} and session_key in {known:Array(UUID)}`,
        values,
      );
    }
    return rows;
  }

  private async untilRead(momentMs: number): Promise<void> {
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    while ((await progressOfClickHouse(this.pool)) < momentMs) {
      if (Date.now() > deadlineMs)
        throw new Error('ClickHouse has not read yet what was stored before the erasure.');
      await delay(LOOK_MS);
    }
  }
}
