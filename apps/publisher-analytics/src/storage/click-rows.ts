import type { ClickFact } from '../domain/report-changes.js';
import { micro } from './columns.js';

/** A row of the click table. */
export interface ClickRow {
  readonly event_id: string;
  readonly site_id: string;
  readonly provider: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly is_bot: boolean;
  readonly partner_id: string | null;
  readonly campaign_id: string | null;
  readonly content_id: string | null;
  readonly placement_id: string | null;
  readonly creative_id: string | null;
  readonly destination_host: string;
  readonly destination_path: string;
}

export const CLICK_NAMES = [
  'event_id',
  'site_id',
  'provider',
  'occurred_at',
  'received_at',
  'is_bot',
  'partner_id',
  'campaign_id',
  'content_id',
  'placement_id',
  'creative_id',
  'destination_host',
  'destination_path',
] as const satisfies readonly (keyof ClickRow)[];

/** For a table with the alias `c`. */
export const CLICK_COLUMNS = CLICK_NAMES.map((name) =>
  name.endsWith('_at') ? `${micro(`c.${name}`)} as ${name}` : `c.${name}`,
).join(', ');

export function toClickFact(row: ClickRow): ClickFact {
  return {
    eventId: row.event_id,
    siteId: row.site_id,
    provider: row.provider,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    isBot: row.is_bot,
    partnerId: row.partner_id,
    campaignId: row.campaign_id,
    contentId: row.content_id,
    placementId: row.placement_id,
    creativeId: row.creative_id,
    destinationHost: row.destination_host,
    destinationPath: row.destination_path,
  };
}

export function toClickRow(click: ClickFact): ClickRow {
  return {
    event_id: click.eventId,
    site_id: click.siteId,
    provider: click.provider,
    occurred_at: click.occurredAt,
    received_at: click.receivedAt,
    is_bot: click.isBot,
    partner_id: click.partnerId,
    campaign_id: click.campaignId,
    content_id: click.contentId,
    placement_id: click.placementId,
    creative_id: click.creativeId,
    destination_host: click.destinationHost,
    destination_path: click.destinationPath,
  };
}
