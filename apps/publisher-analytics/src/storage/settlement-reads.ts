import type { ClickResource, SettlementResource, SettlementState } from '@truetally/contracts/publisher';
import { formatMinor } from '@truetally/kernel';
import type { Pool } from 'pg';
import { destinationOf } from '../domain/report-changes.js';
import { toMilliseconds } from '../domain/instants.js';
import { CLICK_COLUMNS, type ClickRow, toClickFact } from './click-rows.js';
import { EVERY_STATE, SETTLEMENT_COLUMNS, type SettlementRecord, STATE_COLUMNS } from './settlement-rows.js';

export interface SettlementPosition {
  readonly at: string;
  readonly id: string;
}

export interface ListedSettlement {
  readonly settlement: SettlementResource;
  /** Time of the sale as Postgres' text. */
  readonly position: SettlementPosition;
}

/** What is known about a reference. */
export interface NamedClick {
  readonly siteId: string;
  readonly click: ClickResource;
  readonly clicks: number;
  readonly settlements: readonly Omit<SettlementResource, 'history'>[];
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const PAGE = `
  select ${SETTLEMENT_COLUMNS}, s.transaction_at::text as position from settlements s
  where s.site_id = $1 and s.provider = $2
    and (s.transaction_at, s.settlement_id) < (coalesce($3::timestamptz, 'infinity'), $4::uuid)
  order by s.transaction_at desc, s.settlement_id desc limit $5`;
const HISTORY = `
  select ${STATE_COLUMNS} from (${EVERY_STATE}) s order by s.settlement_id, s.updated_at`;
/** The first click of the first reference, and the number of its clicks. */
const CLICK_NAMED = `
  select ${CLICK_COLUMNS}, (count(*) over (partition by c.site_id, c.provider))::float8 as clicks
  from unnest($1::uuid[], $2::bytea[]) as asked (site_id, hash)
  join click_references r on r.hash = asked.hash and r.site_id = asked.site_id
  join clicks c on c.event_id = r.event_id where not c.is_bot order by c.occurred_at, c.event_id limit 1`;
/** Maximum number of settlements shown per reference, which usually has one or few. */
const MOST_SETTLEMENTS = 200;
const SETTLED = `
  select ${SETTLEMENT_COLUMNS} from settlements s
  where s.reference_hash = $1 and s.provider = $2 and s.site_id = $3
  order by s.transaction_at, s.settlement_id limit ${MOST_SETTLEMENTS}`;

export class SettlementReads {
  constructor(private readonly pool: Pool) {}

  /** A page of a site's settlements with one network, newest sale first. */
  async page(
    siteId: string,
    provider: string,
    limit: number,
    after: SettlementPosition | null,
  ): Promise<readonly ListedSettlement[]> {
    const { rows } = await this.pool.query<SettlementRecord & { readonly position: string }>(PAGE, [
      siteId,
      provider,
      after?.at ?? null,
      after?.id ?? LAST_ID,
      limit,
    ]);
    const histories = await this.histories(rows.map((row) => row.settlement_id));
    return rows.map((row) => ({
      settlement: { ...toResource(row), history: histories.get(row.settlement_id) ?? [] },
      position: { at: row.position, id: row.settlement_id },
    }));
  }

  /** @returns undefined for a reference without clicks */
  async named(
    sites: readonly { readonly site_id: string; readonly hash: string }[],
  ): Promise<NamedClick | undefined> {
    const { rows } = await this.pool.query<ClickRow & { readonly clicks: number }>(CLICK_NAMED, [
      sites.map(({ site_id }) => site_id),
      sites.map(({ hash }) => Buffer.from(hash, 'hex')),
    ]);
    const [first] = rows;
    if (first === undefined) return undefined;
    const hash = sites.find(({ site_id }) => site_id === first.site_id)?.hash ?? '';
    const settled = await this.pool.query<SettlementRecord>(SETTLED, [
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
  }

  private async histories(ids: readonly string[]): Promise<ReadonlyMap<string, readonly SettlementState[]>> {
    const { rows } = await this.pool.query<SettlementRecord>(HISTORY, [ids]);
    const histories = new Map<string, SettlementState[]>();
    for (const row of rows) {
      const history = histories.get(row.settlement_id);
      if (history === undefined) histories.set(row.settlement_id, [toState(row)]);
      else history.push(toState(row));
    }
    return histories;
  }
}

function toState(
  row: Omit<SettlementRecord, 'provider' | 'provider_transaction_id' | 'site_id'>,
): SettlementState {
  return {
    status: row.status,
    commissionable_amount: formatMinor(BigInt(row.commissionable), row.currency),
    commission_amount: formatMinor(BigInt(row.commission), row.currency),
    currency: row.currency,
    order_reference: row.order_reference,
    transaction_at: toMilliseconds(row.transaction_at),
    updated_at: toMilliseconds(row.updated_at),
    recorded_at: toMilliseconds(row.recorded_at),
  };
}

function toResource(row: SettlementRecord): Omit<SettlementResource, 'history'> {
  return {
    id: row.settlement_id,
    site_id: row.site_id,
    provider: row.provider,
    provider_transaction_id: row.provider_transaction_id,
    has_click_reference: row.reference_hash !== null,
    ...toState(row),
  };
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
