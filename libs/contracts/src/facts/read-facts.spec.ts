import { describe, expect, it } from '@jest/globals';
import type { Result } from '@truetally/kernel';
import {
  CHANGED_SETTLEMENT,
  RECORDED_CONVERSION,
  RECORDED_TOUCH,
  SEALED_LEDGER,
  STORED_EVENT,
} from '../testing/records.js';
import {
  encodeStoredEvent,
  CHANGED_SETTLEMENT_FACT,
  RECORDED_CONVERSION_FACT,
  RECORDED_TOUCH_FACT,
  SEALED_LEDGER_FACT,
  STORED_EVENT_FACT,
} from './index.js';

const EVENT: object = JSON.parse(
  encodeStoredEvent(STORED_EVENT, '{"total":1.5}', '{"device_type":"mobile"}'),
);

type Reader = (text: string) => Result<object, string>;

/** Topic, an example, its reader, and the fields that may be null. */
const READERS: readonly (readonly [string, object, Reader, readonly string[]])[] = [
  ['events.stored.v1', EVENT, STORED_EVENT_FACT.parse, ['user_id', 'device_id', 'client_event_id']],
  [
    'touches.recorded.v1',
    RECORDED_TOUCH,
    RECORDED_TOUCH_FACT.parse,
    ['partner_id', 'landing_path', 'session_id'],
  ],
  [
    'conversions.recorded.v1',
    RECORDED_CONVERSION,
    RECORDED_CONVERSION_FACT.parse,
    ['margin_delta', 'remaining_margin', 'margin_basis', 'attribution_model', 'lookback_days', 'reason'],
  ],
  ['ledger.sealed.v1', SEALED_LEDGER, SEALED_LEDGER_FACT.parse, []],
  [
    'settlements.changed.v1',
    CHANGED_SETTLEMENT,
    CHANGED_SETTLEMENT_FACT.parse,
    ['order_reference', 'previous_status'],
  ],
];

describe('the tolerant readers of facts', () => {
  it.each(READERS)('%s is read as it is published, without what is added later', (_topic, fact, parse) => {
    expect(parse(JSON.stringify({ ...fact, added_later: { any: 'thing' } }))).toEqual({
      ok: true,
      value: fact,
    });
  });

  it.each(READERS)(
    '%s without a field is refused by its name, or has null there',
    (_topic, fact, parse, nullable) => {
      for (const name of Object.keys(fact)) {
        const read = parse(JSON.stringify({ ...fact, [name]: undefined }));
        const expected = nullable.includes(name)
          ? { ok: true, value: { ...fact, [name]: null } }
          : { ok: false, error: expect.stringContaining(name) };
        expect({ name, read }).toEqual({ name, read: expected });
      }
    },
  );

  it.each(READERS)('%s of another type is refused by the name of the field', (_topic, fact, parse) => {
    for (const name of Object.keys(fact)) {
      const read = parse(JSON.stringify({ ...fact, [name]: [{ not: 'this' }, 7] }));
      expect({ name, read }).toEqual({ name, read: { ok: false, error: expect.any(String) } });
    }
  });

  it.each(READERS)('%s refuses what is no object', (_topic, _fact, parse) => {
    for (const text of ['', 'null', '[]', '{', '"text"']) expect(parse(text).ok).toBe(false);
  });
});
