/** What a load job sends: the same ordinary storefront event, alone or in batches, under ever new or repeated ids. */
export interface Payload {
  /** 1 sends a bare event, more send `{ events: [...] }`. */
  readonly eventsPerRequest: number;
  /** Separates runs: the same prefix and number is the same event. */
  readonly idPrefix: string;
  /** After so many requests the ids begin again, so that every further event is a duplicate. */
  readonly distinctRequests?: number;
}

const ID_MARK = '@@ID@@';
const OCCURRED_AT = new Date().toISOString();

/** The bodies of one run, each made by joining ready pieces, so that making them costs the generator little. */
export function bodyFactory(payload: Payload): () => string {
  const pieces = template(payload.eventsPerRequest).split(ID_MARK);
  const distinct = payload.distinctRequests ?? Number.MAX_SAFE_INTEGER;
  let sequence = 0;
  return () => pieces.join(`${payload.idPrefix}-${(sequence++ % distinct).toString(36)}`);
}

function template(eventsPerRequest: number): string {
  if (eventsPerRequest === 1) return JSON.stringify(event(ID_MARK));
  const events = Array.from({ length: eventsPerRequest }, (_, index) => event(`${ID_MARK}-${index}`));
  return JSON.stringify({ events });
}

function event(id: string): object {
  return {
    event_type: 'product_view',
    session_id: `session-${id}`,
    client_event_id: id,
    user_id: 'user-20481',
    device_id: 'device-77120',
    occurred_at: OCCURRED_AT,
    properties: {
      product_id: 'SKU-10293',
      product_name: 'Merino jumper',
      product_price: 79.9,
      currency: 'EUR',
    },
    context: {
      page_url: 'https://shop.example/women/knitwear/merino-jumper?colour=navy',
      referrer: 'https://shop.example/women/knitwear',
      page_title: 'Merino jumper, navy',
      user_agent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      screen: { width: 1440, height: 900 },
      device_type: 'desktop',
      language: 'en-GB',
      timezone: 'Europe/London',
    },
  };
}
