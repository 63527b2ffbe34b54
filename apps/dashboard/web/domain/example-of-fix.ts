const EVENT_TYPE = 'page_view';
const INSTANT = '2026-01-31T09:30:00Z';

/** A value that each of these fields takes; properties that are ids take any text. */
const VALUES: Readonly<Record<string, string | number | object>> = {
  event_type: EVENT_TYPE,
  session_id: 'session-1',
  user_id: 'customer-1',
  device_id: 'device-1',
  client_event_id: 'order-1001-paid',
  occurred_at: INSTANT,
  context: { page_url: 'https://shop.example/', user_agent: 'my-backend/1.0' },
  properties: {},
  'context.page_url': 'https://shop.example/products/cup',
  'context.user_agent': 'my-backend/1.0',
  'properties.total_amount': 25.5,
  'properties.total': 25.5,
  'properties.revenue': 25.5,
  'properties.currency': 'EUR',
  'properties.query': 'espresso cup',
  'properties.message': 'Do you ship to France?',
  'properties.event_name': 'newsletter_opened',
  'properties.destination_url': 'https://partner.example/offer',
};
const PROPERTY_ID = /^properties\.(\w+_(?:id|reference)|provider)$/;

/** How an item is sent so that this field is taken, as JSON; undefined for a field that this page does not know. */
export function exampleOfFix(field: string): string | undefined {
  const [, name] = PROPERTY_ID.exec(field) ?? [];
  const value = name === undefined ? VALUES[field] : `${name.replace(/_(?:id|reference)$/, '')}-1`;
  if (value === undefined) return undefined;
  const [outer = '', inner] = field.split('.');
  return JSON.stringify({ [outer]: inner === undefined ? value : { [inner]: value } });
}
