import { SETTLEMENT_STATUSES } from '@truetally/contracts/publisher';
import fc from 'fast-check';
import { type SettlementVersion, versionOf } from '../domain/decide-settlement.js';
import { toMicroInstant } from '../domain/instants.js';
import { settlementIdOf } from '../domain/names.js';
import { clickFact } from './click-fact.js';
import type { Told } from './publisher-model.js';

export const SITE_ID = '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01';
/** Two days of March 2026 with a change of clocks between them, in Berlin. */
const FROM_MS = Date.UTC(2026, 2, 28);
const SPAN_MS = 3 * 86_400_000;

const instant = fc.integer({ min: 0, max: SPAN_MS }).map((ms) => FROM_MS + ms);
const provider = fc.constantFrom('awin', 'cj');
const hash = fc.constantFrom('a', 'b', 'c');
const EVENT_IDS = Array.from({ length: 12 }, (_, id) => `event-${id}`);

const click: fc.Arbitrary<Told> = fc
  .record({
    eventId: fc.constantFrom(...EVENT_IDS),
    provider,
    hash,
    contentId: fc.option(fc.constantFrom('guide', 'review')),
    path: fc.constantFrom('/a', '/b'),
    at: instant,
    received: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ eventId, provider: network, hash: reference, contentId, path, at, received }) => ({
    kind: 'click',
    counted: {
      hash: reference,
      click: clickFact({
        eventId,
        siteId: SITE_ID,
        provider: network,
        occurredAt: new Date(at).toISOString(),
        receivedAt: new Date(FROM_MS + received).toISOString(),
        contentId,
        destinationPath: path,
      }),
    },
  }));

const settlement: fc.Arbitrary<Told> = fc
  .record({
    id: fc.integer({ min: 1, max: 6 }),
    provider,
    hash: fc.option(hash),
    status: fc.constantFrom(...SETTLEMENT_STATUSES),
    currency: fc.constantFrom('EUR', 'USD'),
    commissionable: fc.bigInt({ min: 0n, max: 10_000n }),
    commission: fc.bigInt({ min: 0n, max: 1_000n }),
    at: instant,
    updatedAt: fc.integer({ min: 0, max: 1_000_000 }),
  })
  .map((one) => ({ kind: 'settlement', version: versionFrom(one) }));

function versionFrom(one: {
  readonly id: number;
  readonly provider: string;
  readonly hash: string | null;
  readonly status: SettlementVersion['status'];
  readonly currency: string;
  readonly commissionable: bigint;
  readonly commission: bigint;
  readonly at: number;
  readonly updatedAt: number;
}): SettlementVersion {
  const transactionId = `transaction-${one.id}`;
  return versionOf(
    {
      providerTransactionId: transactionId,
      clickReference: null,
      orderReference: null,
      status: one.status,
      currency: one.currency,
      commissionable: one.commissionable,
      commission: one.commission,
      transactionAt: toMicroInstant({ epochMs: one.at, subMillisecond: '' }),
      updatedAt: toMicroInstant({ epochMs: FROM_MS + one.updatedAt, subMillisecond: '' }),
      isChangeTimed: true,
    },
    {
      siteId: SITE_ID,
      provider: one.provider,
      settlementId: settlementIdOf(SITE_ID, one.provider, transactionId),
      referenceHash: one.hash,
    },
  );
}

/** The identity of a fact: the click's id, or the settlement's with its time of change. */
function nameOf(told: Told): string {
  return told.kind === 'click'
    ? told.counted.click.eventId
    : `${told.version.settlementId}/${told.version.updatedAt}`;
}

/** Consistent facts of networks and visitors. */
export const facts: fc.Arbitrary<readonly Told[]> = fc
  .array(fc.oneof(click, settlement), { maxLength: 40 })
  .map((told) => [...new Map(told.map((one) => [nameOf(one), one])).values()]);

/** Groups of facts in any order with repetitions, each with the clicks whose person is erased after it. */
export const factsWithErasures: fc.Arbitrary<
  readonly { readonly told: readonly Told[]; readonly erased: readonly string[] }[]
> = facts.chain((told) =>
  fc.array(
    fc.record({
      told: fc.subarray([...told]).chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
      erased: fc.subarray([...EVENT_IDS], { maxLength: 2 }),
    }),
    { maxLength: 8 },
  ),
);

/** Facts, the same facts in any order with repetitions, and the size of the groups in which they arrive. */
export const factsToldAgain = (
  largestGroup: number,
): fc.Arbitrary<[told: readonly Told[], again: Told[], size: number]> =>
  facts.chain((told) =>
    fc.tuple(
      fc.constant(told),
      fc.shuffledSubarray([...told, ...told], { minLength: told.length * 2 }),
      fc.integer({ min: 1, max: largestGroup }),
    ),
  );
