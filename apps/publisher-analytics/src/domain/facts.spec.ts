import { describe, expect, it } from '@jest/globals';
import type { ChangedSettlementsFact } from '@truetally/contracts/facts';
import fc from 'fast-check';
import { facts, SITE_ID } from '../testing/arbitrary-facts.js';
import { type CountedState, settlementFacts } from './facts.js';

const RECORDED_AT = '2026-03-12T13:00:00.123456Z';
const MAX_VALUE_BYTES = 256 * 1024;

const counted = facts.map((told) =>
  told.flatMap((one): CountedState[] =>
    one.kind === 'settlement' ? [{ version: one.version, previousStatus: null }] : [],
  ),
);

describe('facts of settlements', () => {
  it('tell every change once and in its order, each fact of limited size and with a name of its own', () => {
    const long = fc.tuple(
      counted,
      fc.integer({ min: 1, max: 60 }),
      fc.string({ unit: 'binary', maxLength: 256 }),
    );
    fc.assert(
      fc.property(long, ([some, times, order]) => {
        const all = Array.from({ length: times }, (_, turn) =>
          some.map((one) => ({
            ...one,
            version: {
              ...one.version,
              orderReference: order,
              settlementId: `${turn}-${one.version.settlementId}`,
            },
          })),
        ).flat();
        const written = settlementFacts(SITE_ID, all, RECORDED_AT);
        const read = written.map(({ value }) => JSON.parse(value) as ChangedSettlementsFact);
        const name = (one: { settlement_id: string; updated_at: string }) =>
          `${one.settlement_id}:${one.updated_at}`;
        expect(read.flatMap(({ changes }) => changes.map(name))).toEqual(
          all.map(({ version }) => `${version.settlementId}:${version.updatedAt}`),
        );
        expect(written.every(({ value }) => Buffer.byteLength(value) <= MAX_VALUE_BYTES)).toBe(true);
        expect(written.map(({ headers }) => headers['fact-id'])).toEqual(
          read.map(({ changes: [first] }) => (first === undefined ? 'none' : name(first))),
        );
        expect(written.every(({ key }) => key === SITE_ID)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('say what a network says, and not the reference', () => {
    const [sample = []] = fc.sample(
      counted.filter((some) => some.some(({ version }) => version.referenceHash !== null)),
      { numRuns: 1, seed: 1 },
    );
    const state = sample.find(({ version }) => version.referenceHash !== null);
    if (state === undefined) throw new Error('One of them has a reference.');
    const version = { ...state.version, currency: 'EUR', commissionable: 10_000n, commission: 505n };
    const [fact] = settlementFacts(SITE_ID, [{ version, previousStatus: 'pending' }], RECORDED_AT);
    expect(JSON.parse(fact?.value ?? '')).toEqual({
      site_id: SITE_ID,
      recorded_at: '2026-03-12T13:00:00.123Z',
      changes: [
        {
          settlement_id: version.settlementId,
          provider: version.provider,
          provider_transaction_id: version.providerTransactionId,
          order_reference: null,
          status: version.status,
          previous_status: 'pending',
          currency: 'EUR',
          commissionable_amount: '100.00',
          commission_amount: '5.05',
          transaction_at: version.transactionAt,
          updated_at: version.updatedAt,
        },
      ],
    });
  });
});
