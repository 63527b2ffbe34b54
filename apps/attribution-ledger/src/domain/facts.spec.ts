import { describe, expect, it } from '@jest/globals';
import type { ConversionCommand } from '@truetally/contracts/attribution';
import type { RecordedConversionFact, SealedLedgerFact } from '@truetally/contracts/facts';
import fc from 'fast-check';
import { aCancellation, aLine, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { aTouch } from '../testing/touches.js';
import { decideGroup } from './decide-group.js';
import { decideTouches } from './decide-touches.js';
import { conversionFact, type LedgerFact, rowsOf, touchFact, unpackFacts } from './facts.js';
import { headAfter, sealEntry, type SealedEntry } from './seal-entries.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const OTHER_SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e02';
const RECORDED_AT = '2026-02-01 00:00:00.12+00';
const KNOWN = {
  keys: new Map(),
  refused: new Map(),
  orders: new Map(),
  lineIds: new Map(),
  touches: new Map(),
  rules: new Map(),
  settings: new Map([
    [SITE, { model: 'first_touch', lookbackDays: 30, incarnation: 1, version: 1 } as const],
  ]),
  erased: new Set<string>(),
};

/** The facts of these commands as they are published. */
function told(...commands: readonly (readonly [string, ConversionCommand])[]): readonly LedgerFact[] {
  return rowsOf(sealedOf(commands)).flatMap(unpackFacts) as readonly LedgerFact[];
}

/** These commands, sealed in sequence. */
function sealedOf(commands: readonly (readonly [string, ConversionCommand])[]): readonly SealedEntry[] {
  const outcomes = decideGroup(
    commands.map(([siteId, command]) => itemOf(siteId, command)),
    KNOWN,
  );
  const sealed: SealedEntry[] = [];
  for (const outcome of outcomes) {
    if (outcome.kind !== 'accepted') throw new Error('Not accepted.');
    const before = sealed.findLast(({ entry }) => entry.order.siteId === outcome.entry.order.siteId);
    const head =
      before === undefined ? { sequence: 0n, hash: '0'.repeat(64), recordedAt: '' } : headAfter(before);
    sealed.push(sealEntry(outcome.entry, head, RECORDED_AT));
  }
  return sealed;
}

function values<T>(facts: readonly LedgerFact[], topic: string): readonly T[] {
  return facts.filter((fact) => fact.topic === topic).map(({ value }) => JSON.parse(value) as T);
}

describe('the facts of records', () => {
  const orderId = 'order';
  const purchase = aPurchase({
    orderId,
    occurredAt: '2026-01-31T09:30:00.123456Z',
    revenue: 12_300n,
    tax: 1_900n,
    shipping: 500n,
    discount: 100n,
    lines: [aLine({ discount: 100n })],
    margin: { amount: 5_000n, basis: 'estimated', source: 'erp' },
    touchIds: ['touch'],
    experimentAssignmentIds: ['assignment'],
  });

  it('show taxes and shipping with the sign of the request, and the balance after each', () => {
    const change = anAdjustment({ orderId, revenueDelta: -1_300n, taxDelta: -200n, shippingDelta: 50n });
    const end = aCancellation({ orderId, reversedRevenue: 11_000n });
    const facts = values<RecordedConversionFact>(
      told([SITE, purchase], [SITE, change], [SITE, end]),
      'conversions.recorded.v1',
    );
    expect(facts.map((fact) => [fact.revenue_delta, fact.tax_delta, fact.shipping_delta])).toEqual([
      ['123.00', '19.00', '5.00'],
      ['-13.00', '-2.00', '0.50'],
      ['-110.00', '-17.00', '-5.50'],
    ]);
    expect(facts.map((fact) => [fact.remaining_revenue, fact.discount_delta, fact.margin_delta])).toEqual([
      ['123.00', '1.00', '50.00'],
      ['110.00', '0.00', null],
      ['0.00', '-1.00', '-50.00'],
    ]);
    expect(facts.map((fact) => [fact.remaining_margin, fact.margin_basis])).toEqual([
      ['50.00', 'estimated'],
      ['50.00', 'estimated'],
      ['0.00', 'estimated'],
    ]);
  });

  it('contain for every record the order’s purchase, and the settings of its decision', () => {
    const facts = values<RecordedConversionFact>(
      told([SITE, purchase], [SITE, anAdjustment({ orderId })]),
      'conversions.recorded.v1',
    );
    for (const fact of facts) {
      expect(fact).toMatchObject({
        purchase_occurred_at: '2026-01-31T09:30:00.123456Z',
        recorded_at: '2026-02-01T00:00:00.120Z',
        experiment_assignment_ids: ['assignment'],
        touch_ids: ['touch'],
        unmatched_touch_ids: ['touch'],
        attribution_model: 'first_touch',
        lookback_days: 30,
        attribution: [{ touch_id: 'touch', outcome: 'unmatched', reason: 'unknown_touch', share: '0.00' }],
      });
    }
    expect(facts.map((fact) => [fact.order_sequence, fact.sequence, fact.reason])).toEqual([
      [1, '1', null],
      [2, '2', 'return'],
    ]);
  });

  it('publish the head of each chain once, after its last record', () => {
    const facts = told(
      [SITE, purchase],
      [OTHER_SITE, aPurchase({ orderId })],
      [SITE, anAdjustment({ orderId })],
      [SITE, aPurchase({ orderId: 'second' })],
    );
    const records = values<RecordedConversionFact>(facts, 'conversions.recorded.v1');
    const ends = values<SealedLedgerFact>(facts, 'ledger.sealed.v1');
    expect(ends.map(({ site_id, sequence }) => [site_id, sequence])).toEqual([
      [SITE, '3'],
      [OTHER_SITE, '1'],
    ]);
    for (const { site_id, hash } of ends) {
      expect(records.findLast((one) => one.site_id === site_id)?.hash).toBe(hash);
    }
    expect(ends.map(({ recorded_at }) => recorded_at)).toEqual(Array(2).fill('2026-02-01T00:00:00.120Z'));
    expect(facts.map(({ headers }) => headers['fact-id'])).toEqual([
      ...records.map(({ record_id }) => record_id),
      `${SITE}:3`,
      `${OTHER_SITE}:1`,
    ]);
    expect(new Set(facts.map(({ headers }) => headers['content-type']))).toEqual(
      new Set(['application/json']),
    );
    expect(facts.map(({ key }) => key)).toEqual([
      `${SITE}:order`,
      `${OTHER_SITE}:order`,
      `${SITE}:order`,
      `${SITE}:second`,
      SITE,
      OTHER_SITE,
    ]);
  });
});

describe('rows of the outbox', () => {
  const AWKWARD = [`,"order_sequence":`, '"', '\\', ',\n', '\n', ']', 'é', '\u{1f6d2}', 'order-1'];
  const orderIds = fc.uniqueArray(
    fc.array(fc.constantFrom(...AWKWARD), { minLength: 1 }).map((parts) => parts.join('')),
    {
      maxLength: 40,
    },
  );
  const sites = fc.infiniteStream(fc.constantFrom(SITE, SITE, SITE, OTHER_SITE));

  it('hold many facts of a site each, and become one message for each record, in their order, whatever an order is called', () => {
    fc.assert(
      fc.property(orderIds, sites, (ids, siteOf) => {
        const sealed = sealedOf(ids.map((orderId) => [siteOf.next().value, aPurchase({ orderId })]));
        const rows = rowsOf(sealed);
        const messages = rows
          .flatMap((row) => unpackFacts({ ...row, headers: { ...row.headers, incarnation: '7' } }))
          .slice(0, sealed.length);
        expect(messages).toEqual(
          sealed.map((one) => ({
            topic: 'conversions.recorded.v1',
            key: `${one.entry.order.siteId}:${one.entry.order.orderId}`,
            value: JSON.stringify(conversionFact(one)),
            headers: { incarnation: '7', 'content-type': 'application/json', 'fact-id': one.entry.recordId },
          })),
        );
        for (const { value } of rows) expect(value.length).toBeLessThan(8_000);
      }),
    );
  });

  it('the facts of thirty orders are a few rows, each of which is a list in JSON', () => {
    const orders = Array.from(
      { length: 30 },
      (_, n) => [SITE, aPurchase({ orderId: `order-${n}` })] as const,
    );
    const rows = rowsOf(sealedOf(orders)).filter(({ topic }) => topic === 'conversions.recorded.v1');
    expect(rows.length).toBeLessThan(8);
    expect(rows.map(({ key }) => key)).toEqual(rows.map(() => SITE));
    const facts = rows.flatMap(({ value }) => JSON.parse(value) as RecordedConversionFact[]);
    expect(facts.map(({ order_id }) => order_id)).toEqual(orders.map((_, n) => `order-${n}`));
  });

  it('a fact that is larger than a row has a row of its own', () => {
    const touchIds = Array.from({ length: 90 }, (_, n) => `${n}${'t'.repeat(100)}`);
    const [first, large, last, ...heads] = rowsOf(
      sealedOf([
        [SITE, aPurchase({ orderId: 'first' })],
        [SITE, aPurchase({ orderId: 'large', touchIds })],
        [SITE, aPurchase({ orderId: 'last' })],
      ]),
    );
    const names = [first, large, last].map((row) =>
      (JSON.parse(row?.value ?? '') as RecordedConversionFact[]).map(({ order_id }) => order_id),
    );
    expect(names).toEqual([['first'], ['large'], ['last']]);
    expect(heads).toHaveLength(1);
  });
});

describe('the fact of a touch', () => {
  it('the fact of a touch has the fields of the touch and the place of its row, and no click value', () => {
    const touch = aTouch({
      touch_id: 'touch',
      occurred_at: '2026-01-30T09:30:00.123456Z',
      session_id: 'session',
    });
    const request = { site_id: SITE, request_id: 'request', touches: [touch] };
    const known = { kept: new Map(), erased: new Set<string>() };
    const { added } = decideTouches([{ request, correlationId: 'first' }], known, RECORDED_AT);
    const [one] = added;
    if (one === undefined) throw new Error('It is new.');
    const fact = touchFact(one);
    expect(fact).toMatchObject({
      topic: 'touches.recorded.v1',
      key: `${SITE}:touch`,
      headers: { 'content-type': 'application/json', 'fact-id': one.id },
    });
    expect(JSON.parse(fact.value)).toEqual({
      id: one.id,
      site_id: SITE,
      touch_id: 'touch',
      provider: 'awin',
      direction: 'inbound',
      partner_id: 'partner-1',
      landing_path: '/landing',
      occurred_at: '2026-01-30T09:30:00.123456Z',
      provenance: 'browser_sdk',
      session_id: 'session',
      recorded_at: '2026-02-01T00:00:00.120Z',
    });
  });
});
