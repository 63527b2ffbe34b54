import { type ServiceName } from '@truetally/contracts/services';
import { uniqueName } from '@truetally/testing';
import { plainPurchase } from '@truetally/testing-product';
import { type Headers, type Shop, touchOf, type Visitor } from './shop.js';

/** One kind of request, and where its effects are stored. */
export interface Lane {
  readonly name: string;
  readonly clients: number;
  /** The n-th request: deterministic, so that it can be sent again. */
  request(n: number): LaneRequest;
  /** A successful answer's items. */
  read(data: unknown, n: number): readonly Told[];
  readonly stored: StoredIn;
}

export interface LaneRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly json: object;
}

export interface Told {
  readonly id: string;
  /** The product's name of the item: the same in every answer. */
  readonly identity: string;
  readonly isNew: boolean;
}

/** Rows with an id that an answer has named. */
export interface StoredIn {
  readonly service: ServiceName;
  readonly table: string;
  readonly column: string;
  /** Stored after the answer, from facts. */
  readonly isLater: boolean;
  /** Written by a command, which no service reads again after a restore. */
  readonly isCommanded?: boolean;
}

const EVENTS_PER_BATCH = 5;
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

/** A shop's requests to every service of the product. */
export async function lanesOf(shop: Shop): Promise<readonly Lane[]> {
  const run = uniqueName('chaos');
  const visitor = await shop.visitor();
  return [
    events(shop, run),
    clicks(shop, run),
    orders(shop, run),
    touches(visitor, run),
    campaigns(shop, run),
    assignments(shop, visitor),
  ];
}

interface StoredEvent {
  readonly event_id: string;
  readonly deduplicated?: boolean;
}

function events({ apiKey }: Shop, run: string): Lane {
  const headers = { 'x-api-key': apiKey };
  const idsOf = (n: number): readonly string[] =>
    n % 2 === 0
      ? [`${run}-${n}`]
      : Array.from({ length: EVENTS_PER_BATCH }, (_, index) => `${run}-${n}-${index}`);
  return {
    name: 'events',
    clients: 6,
    request: (n) => {
      const [first = '', ...others] = idsOf(n);
      return others.length === 0
        ? { path: 'events/track', headers, json: view(first) }
        : { path: 'events/batch', headers, json: { events: idsOf(n).map(view) } };
    },
    read: (data, n) => {
      const results = (data as { results?: readonly StoredEvent[] }).results ?? [data as StoredEvent];
      return results.map(({ event_id, deduplicated }, index) => ({
        id: idsOf(n)[index] ?? '',
        identity: event_id,
        isNew: deduplicated !== true,
      }));
    },
    stored: { service: 'ingestion', table: 'events', column: 'client_event_id', isLater: false },
  };
}

/** Of a product's page. */
export function view(id: string): object {
  return {
    event_type: 'product_view',
    session_id: 'chaos',
    client_event_id: id,
    properties: { product_id: 'SKU-1' },
    context: { page_url: 'https://shop.example/sku-1', user_agent: USER_AGENT },
  };
}

/** Identified by the event's id, which the publisher's report uses. */
function clicks({ apiKey }: Shop, run: string): Lane {
  return {
    name: 'clicks',
    clients: 1,
    request: (n) => ({
      path: 'events/track',
      headers: { 'x-api-key': apiKey },
      json: {
        event_type: 'partner_link_click',
        session_id: 'chaos',
        client_event_id: `${run}-click-${n}`,
        properties: {
          provider: 'awin',
          click_reference: `${run}-${n}`,
          destination_url: 'https://partner.example/cups',
        },
        context: { page_url: 'https://shop.example/guide', user_agent: USER_AGENT },
      },
    }),
    read: (data) => {
      const { event_id, deduplicated } = data as StoredEvent;
      return [{ id: event_id, identity: event_id, isNew: deduplicated !== true }];
    },
    stored: { service: 'publisher-analytics', table: 'clicks', column: 'event_id', isLater: true },
  };
}

function orders({ apiKey, siteId }: Shop, run: string): Lane {
  const soldAt = new Date().toISOString();
  return {
    name: 'orders',
    clients: 2,
    request: (n) => ({
      path: 'partner-attribution/conversions',
      headers: { 'x-api-key': apiKey },
      json: plainPurchase({ siteId, orderId: `${run}-order-${n}`, occurredAt: soldAt }),
    }),
    read: (data, n) => {
      const { conversion_id, deduplicated } = data as { conversion_id: string; deduplicated: boolean };
      return [{ id: `${run}-order-${n}`, identity: conversion_id, isNew: !deduplicated }];
    },
    stored: {
      service: 'attribution-ledger',
      table: 'records',
      column: 'idempotency_key',
      isLater: false,
    },
  };
}

function touches(visitor: Visitor, run: string): Lane {
  const seenAt = new Date().toISOString();
  const idOf = (n: number): string => `${run}-${n}`;
  return {
    name: 'touches',
    clients: 1,
    request: (n) => ({
      path: 'partner-attribution/touches',
      headers: visitor.headers(),
      json: { touches: [touchOf(idOf(n), idOf(n), seenAt)] },
    }),
    read: (data) =>
      (data as { touches: readonly { touch_id: string; id: string; status: string }[] }).touches.map(
        ({ touch_id, id, status }) => ({ id: touch_id, identity: id, isNew: status === 'created' }),
      ),
    stored: { service: 'attribution-ledger', table: 'touches', column: 'touch_id', isLater: false },
  };
}

/** A repeated command with an Idempotency-Key gets its first answer, including that it is new. */
function campaigns({ siteId, owner }: Shop, run: string): Lane {
  return {
    name: 'campaigns',
    clients: 1,
    request: (n) => ({
      path: 'campaigns',
      headers: { ...owner, 'idempotency-key': `${run}-${n}` },
      json: {
        site_id: siteId,
        type: 'overlay',
        status: 'draft',
        name: `${run}-${n}`,
        content: { layout: 'corner', title: 'Offer' },
      },
    }),
    read: (data, n) => [{ id: `${run}-${n}`, identity: (data as { id: string }).id, isNew: false }],
    stored: {
      service: 'management',
      table: 'campaigns',
      column: 'name',
      isLater: false,
      isCommanded: true,
    },
  };
}

function assignments({ sessions }: Shop, visitor: Visitor): Lane {
  const sessionOf = (n: number): string => sessions[n % sessions.length] ?? '';
  return {
    name: 'assignments',
    clients: 1,
    request: (n) => ({
      path: 'partner-experiments/assignments',
      headers: visitor.headers(),
      json: { session_id: sessionOf(n) },
    }),
    read: (data, n) =>
      (data as { assignments: readonly { assignment_id: string }[] }).assignments.map(
        ({ assignment_id }) => ({
          id: sessionOf(n),
          identity: assignment_id,
          isNew: false,
        }),
      ),
    stored: { service: 'experiments', table: 'assignments', column: 'session_id', isLater: false },
  };
}
