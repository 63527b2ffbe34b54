import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ATTRIBUTION_LEDGER,
  type ConversionAccepted,
  decodeRecordConversion,
  encodeRecordConversion,
  CONVERSION_ACCEPTED,
  type RecordConversion,
} from './index.js';
import { ATTRIBUTION_MODELS } from '../facts/index.js';
import { anyCommand } from '../testing/attribution-commands.js';

const anyRequest: fc.Arbitrary<RecordConversion> = fc.record({
  siteId: fc.uuid(),
  requestId: fc.string(),
  settings: fc.option(
    fc.record({
      model: fc.constantFrom(...ATTRIBUTION_MODELS),
      lookbackDays: fc.option(fc.integer({ min: 1, max: 365 })),
      incarnation: fc.nat(),
      version: fc.nat(),
    }),
  ),
  fingerprint: fc.string(),
  command: anyCommand,
});

describe('a conversion on its way to the ledger', () => {
  it('arrives as it was sent, to the last minor unit', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(decodeRecordConversion(encodeRecordConversion(request))).toEqual({ ok: true, value: request });
      }),
    );
  });

  it('a conversion message is refused, and never throws, when any part is missing or of another kind', () => {
    const spoilt = fc.constantFrom<unknown>(7, 'x', {}, [1], [[]], true);
    fc.assert(
      fc.property(anyRequest, fc.nat(), spoilt, (request, at, value) => {
        const message = JSON.parse(encodeRecordConversion(request)) as Record<string, unknown>;
        const names = Object.keys(message);
        const name = names[at % names.length] ?? '';
        if (typeof message[name] === typeof value && !Array.isArray(value)) return;
        // A cancellation has a text for its reason, or none.
        if (name === 'reason' && value === 'x') return;
        message[name] = value;
        const decoded = decodeRecordConversion(JSON.stringify(message));
        expect(decoded.ok).toBe(false);
        if (!decoded.ok) expect(decoded.error).toMatch(/^unreadable: [a-z_, ]+$/);
      }),
    );
  });

  it('never throws for anything else', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('', 'null', '[]', '{"event_type":"purchase"}'),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeRecordConversion(text).ok).toBe(false);
      }),
    );
  });
});

describe("the ledger's answer", () => {
  const accepted: ConversionAccepted = {
    authoritative: true,
    deduplicated: false,
    record_id: 'r',
    conversion_id: 'c',
    order_id: 'o',
    event_type: 'adjustment',
    state: 'adjusted',
    currency: 'EUR',
    remaining_revenue: '1.00',
    remaining_commissionable: '0.00',
    recorded_at: '2026-01-31T09:30:00.000Z',
    unmatched_touch_ids: ['t'],
  };

  it("the ledger's answer is taken over field by field", () => {
    const told = { ...accepted, margin: 'told by mistake' };
    expect(CONVERSION_ACCEPTED.read(told)).toEqual({ ok: true, value: accepted });
  });

  it("the ledger's answer is refused when a field is missing", () => {
    for (const name of Object.keys(accepted).filter((one) => one !== 'authoritative')) {
      expect(CONVERSION_ACCEPTED.read({ ...accepted, [name]: undefined })).toEqual({
        ok: false,
        error: `unreadable: ${name}`,
      });
    }
    expect(CONVERSION_ACCEPTED.read(null).ok).toBe(false);
  });
});

it('a question for an order arrives as it was sent', () => {
  const { readOrder } = ATTRIBUTION_LEDGER.operations;
  const request = { site_id: 's', order_id: 'o/1', limit: 10, cursor: null };
  expect(readOrder.read(JSON.parse(readOrder.encode(request)))).toEqual({ ok: true, value: request });
  expect(readOrder.read({ ...request, order_id: undefined })).toEqual({
    ok: false,
    error: 'unreadable: order_id',
  });
  expect(readOrder.read('[').ok).toBe(false);
});
