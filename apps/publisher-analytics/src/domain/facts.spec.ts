import { describe, expect, it } from '@jest/globals';
import { SETTLEMENT_STATUSES } from '@truetally/contracts/publisher';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type CountedState, type PublisherFact, SettlementFacts, unpackFacts } from './facts.js';

const SITE_ID = '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01';
const RECORDED_AT = '2026-11-22T09:30:00.000000Z';
/** A row ends with the fact that fills it. */
const MAX_ROW_BYTES = 155_000;

const status = fc.constantFrom(...SETTLEMENT_STATUSES);
const states: fc.Arbitrary<readonly CountedState[]> = fc.array(
  fc.record({
    version: fc.record({
      settlementId: fc.constant(randomUUID()),
      siteId: fc.constant(SITE_ID),
      provider: fc.constantFrom('awin', 'cj'),
      providerTransactionId: fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
      orderReference: fc.option(fc.string({ maxLength: 200 })),
      referenceHash: fc.constant('a hash'),
      status,
      currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
      commissionable: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      commission: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      transactionAt: fc.constant('2026-11-20T09:30:00.000000Z' as never),
      updatedAt: fc.constant('2026-11-21T09:30:00.123456Z' as never),
    }),
    previousStatus: fc.option(status),
  }),
  { maxLength: 1_000, size: 'max' },
);

/** Added in several parts, as an import does. */
function packed(...parts: readonly (readonly CountedState[])[]): readonly PublisherFact[] {
  const facts = new SettlementFacts(SITE_ID, RECORDED_AT);
  for (const part of parts) facts.add(part);
  return facts.rows();
}

describe('facts of settlements', () => {
  it('facts of settlements are one message for each new state, in their order, whatever row held them', () => {
    fc.assert(
      fc.property(states, fc.nat(1_000), (counted, at) => {
        const rows = packed(counted.slice(0, at), counted.slice(at));
        const messages = rows.flatMap(unpackFacts);
        expect(messages.map(({ key }) => key)).toEqual(
          counted.map(({ version }) => `${SITE_ID}:${version.provider}:${version.providerTransactionId}`),
        );
        const values = messages.map(({ value }) => JSON.parse(value ?? '') as Record<string, unknown>);
        expect(values.map((value) => [value['status'], value['previous_status']])).toEqual(
          counted.map(({ version, previousStatus }) => [version.status, previousStatus]),
        );
        for (const row of rows) expect(Buffer.byteLength(row.value)).toBeLessThan(MAX_ROW_BYTES);
      }),
      { numRuns: 30 },
    );
  });

  it('name settlement and state, hold exact amounts, and neither a reference nor its hash', () => {
    const [row] = packed([
      {
        version: {
          settlementId: '4c1f0a52-7b1a-4a51-9c6e-0d8b6f6e6d0a',
          siteId: SITE_ID,
          provider: 'awin',
          providerTransactionId: 'T-1',
          orderReference: 'O-1',
          referenceHash: 'a hash',
          status: 'approved',
          currency: 'KWD',
          commissionable: 9_223_372_036_854_775_807n,
          commission: 1n,
          transactionAt: '2026-11-20T09:30:00.000000Z' as never,
          updatedAt: '2026-11-21T09:30:00.123456Z' as never,
        },
        previousStatus: 'pending',
      },
    ]);
    const [message] = unpackFacts(row as never);
    expect(message).toMatchObject({
      topic: 'settlements.changed.v1',
      key: `${SITE_ID}:awin:T-1`,
      headers: { 'fact-id': '4c1f0a52-7b1a-4a51-9c6e-0d8b6f6e6d0a:2026-11-21T09:30:00.123456Z' },
    });
    expect(JSON.parse(message?.value ?? '')).toEqual({
      settlement_id: '4c1f0a52-7b1a-4a51-9c6e-0d8b6f6e6d0a',
      site_id: SITE_ID,
      provider: 'awin',
      provider_transaction_id: 'T-1',
      order_reference: 'O-1',
      status: 'approved',
      previous_status: 'pending',
      currency: 'KWD',
      commissionable_amount: '9223372036854775.807',
      commission_amount: '0.001',
      transaction_at: '2026-11-20T09:30:00.000000Z',
      updated_at: '2026-11-21T09:30:00.123456Z',
      recorded_at: '2026-11-22T09:30:00.000Z',
    });
  });
});
