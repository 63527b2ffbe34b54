import type { ClickResource, CurrentSettlement, SettlementResource } from '@truetally/contracts/publisher';
import { inSnapshot } from '@truetally/persistence';
import type { Pool } from 'pg';
import { destinationOf } from '../domain/report-changes.js';
import { toMilliseconds } from '../domain/instants.js';
import { CLICK_COLUMNS, type ClickRow, toClickFact } from './click-rows.js';
import { type AskedHistory, formerStates, historyPage } from './settlement-history.js';
import { toResource, toState } from './settlement-resources.js';
import { SETTLEMENT_COLUMNS, type SettlementRecord } from './settlement-rows.js';

export interface SettlementPosition {
  readonly at: string;
  readonly id: string;
}

export interface ListedSettlements {
  readonly settlements: readonly SettlementResource[];
  /** The last one's time of the sale as Postgres' text, and its id; null at the end. */
  readonly next: SettlementPosition | null;
}

/** What is known about a reference. */
export interface NamedClick {
  readonly siteId: string;
  readonly click: ClickResource;
  readonly clicks: number;
  readonly settlements: readonly CurrentSettlement[];
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const PAGE = `
  select ${SETTLEMENT_COLUMNS}, s.transaction_at::text as position from settlements s
  where s.site_id = $1 and s.provider = $2
    and (s.transaction_at, s.settlement_id) < (coalesce($3::timestamptz, 'infinity'), $4::uuid)
  order by s.transaction_at desc, s.settlement_id desc limit $5`;
/** Counted of a reference: anybody may repeat it without end. */
const MOST_CLICKS = 10_000;
/** The click that owns the reference, as for reports (`firstOf`), and the number of its clicks. */
const CLICK_NAMED = `
  select ${CLICK_COLUMNS}, (
    select count(*) from (
      select from click_references named join clicks other using (event_id)
      where named.hash = r.hash and named.counted_at is not null and other.provider = c.provider
      limit ${MOST_CLICKS}) counted)::float8 as clicks
  from unnest($1::uuid[], $2::bytea[]) as asked (site_id, hash)
  cross join lateral (
    select event_id, hash, counted_at from click_references
    where hash = asked.hash and counted_at is not null order by counted_at, event_id limit 1) r
  join clicks c on c.event_id = r.event_id and c.site_id = asked.site_id
  order by r.counted_at, r.event_id limit 1`;
/** Maximum number of settlements shown per reference, which usually has one or few. */
const MOST_SETTLEMENTS = 200;
const SETTLED = `
  select ${SETTLEMENT_COLUMNS} from settlements s
  where s.reference_hash = $1 and s.provider = $2 and s.site_id = $3
  order by s.transaction_at, s.settlement_id limit ${MOST_SETTLEMENTS}`;

export class SettlementReads {
  constructor(private readonly pool: Pool) {}

  /**
   * A page of a site's settlements with one network, newest sale first, each with its newest states.
   * @returns fewer than `limit` where their histories would exceed the bytes of a page
   */
  async page(
    siteId: string,
    provider: string,
    limit: number,
    after: SettlementPosition | null,
  ): Promise<ListedSettlements> {
    // One extra row shows whether another page follows.
    const { rows: found } = await this.pool.query<SettlementRecord & { readonly position: string }>(PAGE, [
      siteId,
      provider,
      after?.at ?? null,
      after?.id ?? LAST_ID,
      limit + 1,
    ]);
    const asked = found.slice(0, limit);
    const { histories, fitting } = await formerStates(this.pool, asked);
    const settlements = asked.slice(0, fitting).map((row): SettlementResource => {
      const former = histories.get(row.settlement_id);
      return {
        ...toResource(row),
        history: [...(former?.states ?? []), toState(row)],
        history_count: (former?.count ?? 0) + 1,
      };
    });
    const last = asked[settlements.length - 1];
    const isLast = last === undefined || settlements.length === found.length;
    return { settlements, next: isLast ? null : { at: last.position, id: last.settlement_id } };
  }

  /** See `historyPage`. */
  history(asked: AskedHistory, limit: number, before: string | null): ReturnType<typeof historyPage> {
    return historyPage(this.pool, asked, limit, before);
  }

  /** At one instant. @returns undefined for a reference without clicks */
  named(
    sites: readonly { readonly site_id: string; readonly hash: string }[],
  ): Promise<NamedClick | undefined> {
    return inSnapshot(this.pool, async (client) => {
      const { rows } = await client.query<ClickRow & { readonly clicks: number }>(CLICK_NAMED, [
        sites.map(({ site_id }) => site_id),
        sites.map(({ hash }) => Buffer.from(hash, 'hex')),
      ]);
      const [first] = rows;
      if (first === undefined) return undefined;
      const hash = sites.find(({ site_id }) => site_id === first.site_id)?.hash ?? '';
      const settled = await client.query<SettlementRecord>(SETTLED, [
        Buffer.from(hash, 'hex'),
        first.provider,
        first.site_id,
      ]);
      return {
        siteId: first.site_id,
        click: toClickResource(first),
        clicks: first.clicks,
        settlements: settled.rows.map(toResource),
      };
    });
  }
}

function toClickResource(row: ClickRow): ClickResource {
  const click = toClickFact(row);
  return {
    event_id: click.eventId,
    provider: click.provider,
    occurred_at: toMilliseconds(click.occurredAt),
    partner_id: click.partnerId,
    campaign_id: click.campaignId,
    content_id: click.contentId,
    placement_id: click.placementId,
    creative_id: click.creativeId,
    destination: destinationOf(click),
  };
}
