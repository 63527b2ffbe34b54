import { describe, expect, it } from '@jest/globals';
import { LEDGER_ACCOUNTS } from '@truetally/contracts/attribution';
import fc from 'fast-check';
import { aPurchase, itemOf } from '../testing/commands.js';
import { acceptedOf } from './answers.js';
import { decideGroup } from './decide-group.js';
import type { Entry } from './order.js';
import { headAfter, sealEntry } from './seal-entries.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const HEAD = { sequence: 6n, hash: '0'.repeat(64), recordedAt: '' };
const RECORDED_AT = '2026-02-01 00:00:00.12+00';

function entryOf(lookbackDays: number | null): Entry {
  const item = itemOf(SITE, aPurchase({ orderId: 'order', touchIds: ['touch'] }));
  const [outcome] = decideGroup([item], {
    keys: new Map(),
    refused: new Map(),
    orders: new Map(),
    lineIds: new Map(),
    touches: new Map(),
    rules: new Map(),
    settings: new Map([[SITE, { model: 'last_touch', lookbackDays, incarnation: 1, version: 1 }]]),
    erased: new Set(),
  });
  if (outcome?.kind !== 'accepted') throw new Error('Not accepted.');
  return outcome.entry;
}

describe('a sealed entry', () => {
  it('a sealed entry has its place in the chain, who asked for it and by which message', () => {
    const entry = entryOf(30);
    const sealed = sealEntry(entry, HEAD, RECORDED_AT);
    expect(sealed.fields).toMatchObject({
      chain_sequence: '7',
      recorded_at: RECORDED_AT,
      idempotency_key: entry.asked?.idempotencyKey,
      fingerprint: entry.asked?.fingerprint,
      request_partition: String(entry.asked?.place.partition),
      request_offset: entry.asked?.place.offset,
      request_id: entry.asked?.place.requestId,
      attribution_model: 'last_touch',
      lookback_days: '30',
    });
    expect(entry.asked?.fingerprint).toEqual(expect.any(String));
    expect(headAfter(sealed)).toEqual({ sequence: 7n, hash: sealed.hash, recordedAt: RECORDED_AT });
  });

  it('a sealed entry without a request has null in every column about the request', () => {
    const { fields } = sealEntry({ ...entryOf(null), asked: null }, HEAD, RECORDED_AT);
    const asked = [
      'idempotency_key',
      'fingerprint',
      'request_partition',
      'request_offset',
      'request_id',
    ] as const;
    expect(asked.map((column) => fields[column])).toEqual([null, null, null, null, null]);
    expect(fields.lookback_days).toBeNull();
  });

  it('a sealed entry has each amount and each balance in the column of its account, whatever they are', () => {
    const known = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n });
    const unknown = fc.option(known);
    const amounts = fc.record({
      receivable: known,
      merchandise: known,
      discount: known,
      tax: known,
      shipping: known,
      commissionable: known,
      cost: unknown,
      margin: unknown,
      commission: known,
      memorandum: known,
    });
    const entry = entryOf(null);
    const textOf = (amount: bigint | null): string | null => (amount === null ? null : amount.toString());
    fc.assert(
      fc.property(amounts, amounts, (deltas, balances) => {
        const sealed = sealEntry(
          { ...entry, deltas, order: { ...entry.order, balances } },
          HEAD,
          RECORDED_AT,
        );
        for (const account of LEDGER_ACCOUNTS) {
          expect(sealed.fields[account]).toBe(textOf(deltas[account]));
          expect(sealed.fields[`${account}_balance`]).toBe(textOf(balances[account]));
        }
      }),
    );
  });

  it('gets the stored answer', () => {
    const entry = entryOf(null);
    const { fields } = sealEntry(entry, HEAD, RECORDED_AT);
    expect(acceptedOf(fields, true)).toEqual({
      authoritative: true,
      deduplicated: true,
      record_id: entry.recordId,
      conversion_id: entry.order.conversionId,
      order_id: 'order',
      event_type: 'purchase',
      state: entry.order.state,
      currency: 'EUR',
      remaining_revenue: '100.00',
      remaining_commissionable: '100.00',
      recorded_at: '2026-02-01T00:00:00.120Z',
      unmatched_touch_ids: ['touch'],
    });
  });
});
