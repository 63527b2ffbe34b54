import type { ClickFact } from '../domain/report-changes.js';

const MAX_HOST = 512;

/** Reads a click from a fact of `clicks.stored.v1`, which is a stored event in ingestion's format. */
export function readClick(value: string): ClickFact {
  const event = JSON.parse(value) as StoredClick;
  const { properties } = event;
  const destination = placeOf(properties.destination_url);
  return {
    eventId: event.event_id,
    siteId: event.site_id,
    provider: String(properties.provider),
    occurredAt: event.occurred_at,
    receivedAt: event.received_at,
    isBot: event.is_bot,
    partnerId: properties.partner_id ?? null,
    campaignId: properties.campaign_id ?? null,
    contentId: properties.content_id ?? null,
    placementId: properties.placement_id ?? null,
    creativeId: properties.creative_id ?? null,
    destinationHost: destination.host,
    destinationPath: destination.path,
  };
}

interface StoredClick {
  readonly event_id: string;
  readonly site_id: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly is_bot: boolean;
  readonly properties: {
    readonly provider?: string;
    readonly destination_url?: string;
    readonly partner_id?: string | null;
    readonly campaign_id?: string | null;
    readonly content_id?: string | null;
    readonly placement_id?: string | null;
    readonly creative_id?: string | null;
  };
}

/** Host (with port) and path of a validated URL. */
function placeOf(address: string | undefined): { readonly host: string; readonly path: string } {
  try {
    const { host, pathname } = new URL(address ?? '');
    return { host: host.slice(0, MAX_HOST), path: pathname };
  } catch {
    return { host: '', path: '' };
  }
}
