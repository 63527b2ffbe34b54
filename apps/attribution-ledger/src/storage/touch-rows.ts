import { instantColumn } from '@truetally/contracts/attribution';
import type { ClientBase } from 'pg';
import type { NewTouch } from '../domain/decide-touches.js';

const COLUMNS = {
  id: 'uuid',
  site_id: 'uuid',
  touch_id: 'text',
  fingerprint: 'text',
  provider: 'text',
  direction: 'text',
  partner_id: 'text',
  landing_path: 'text',
  occurred_at: 'timestamptz',
  provenance: 'text',
  session_id: 'text',
  click_hash: 'text',
  recorded_at: 'timestamptz',
  request_id: 'text',
  correlation_id: 'text',
} as const;
const PARAMETERS = Object.values(COLUMNS).map((type, index) => `$${index + 1}::${type}[]`);
const INSERT_TOUCHES = `
  insert into touches (${Object.keys(COLUMNS).join(', ')}) select * from unnest(${PARAMETERS.join(', ')})`;
const INSERT_CLICKS = `
  insert into click_values (touch_row_id, key_id, sealed)
  select id, key_id, decode(sealed, 'base64') from unnest($1::uuid[], $2::text[], $3::text[]) as click (id, key_id, sealed)`;

/** Inserted in the order of their names, which prevents deadlocks. */
export async function insertTouches(client: ClientBase, added: readonly NewTouch[]): Promise<void> {
  const rows = added.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const values = rows.map(valuesOf);
  const arrays = Object.keys(COLUMNS).map((_, column) => values.map((row) => row[column] ?? null));
  await client.query({ name: 'insert-touches', text: INSERT_TOUCHES, values: arrays });
  const clicks = rows.flatMap(({ id, touch: { click } }) => (click === null ? [] : [{ id, ...click }]));
  if (clicks.length === 0) return;
  await client.query({
    name: 'insert-clicks',
    text: INSERT_CLICKS,
    values: [
      clicks.map(({ id }) => id),
      clicks.map(({ key_id }) => key_id),
      clicks.map(({ sealed }) => sealed),
    ],
  });
}

/** In the order of the columns. */
function valuesOf(added: NewTouch): readonly (string | null)[] {
  const { id, siteId, touch, recordedAt, requestId, correlationId } = added;
  return [
    id,
    siteId,
    touch.touch_id,
    touch.fingerprint,
    touch.provider,
    touch.direction,
    touch.partner_id,
    touch.landing_path,
    instantColumn(touch.occurred_at),
    touch.provenance,
    touch.session_id,
    touch.click?.hash ?? null,
    recordedAt,
    requestId,
    correlationId,
  ];
}
