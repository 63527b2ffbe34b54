import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  AttributionSettings,
  ConversionCommand,
  RecordConversion,
} from '@truetally/contracts/attribution';
import { TOPICS } from '@truetally/contracts/topics';
import fc from 'fast-check';
import { acceptedOf } from './domain/answers.js';
import type { GroupItem } from './domain/decide-group.js';
import { keepSites } from './follow-sites/follow-sites.js';
import { matchTouches } from './match-touches/match-touches.js';
import { COMMANDS, EARNING, SETTINGS, TOUCH_IDS, TOUCHES } from './testing/arbitrary-commands.js';
import { checkLedger } from './testing/check-ledger.js';
import { orderIndexOf } from './testing/check-order-index.js';
import { itemOf } from './testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, OWNER, type Replica } from './testing/ledger-database.js';
import { LedgerModel, type ModelAnswer, type ModelSettings } from './testing/ledger-model.js';
import { siteFact } from './testing/site-facts.js';
import { aTouch } from './testing/touches.js';

const REPLICAS = 3;
const REFUSED: ModelAnswer = { kind: 'refused' };
let database: LedgerDatabase;
let replicas: readonly Replica[];

beforeAll(async () => {
  database = await openLedgerDatabase();
  replicas = Array.from({ length: REPLICAS }, () => database.replica());
});

afterAll(() => database.close());

interface Real {
  readonly siteId: string;
  readonly sent: GroupItem[];
  /** Messages that created an entry: a redelivery gets the same answer. */
  readonly accepted: Set<GroupItem>;
  /** Messages that were refused, which their redelivery does not change. */
  readonly refused: Set<GroupItem>;
  /** Settings that the gateway sends with each command: newer or older than those that the ledger has received. */
  told: AttributionSettings | null;
  /** Of the site. */
  version: number;
  /** The latest that the ledger has received. */
  keptVersion: number;
}

/** The next step of a client, on one replica. `exact`: the amounts are those of the model. */
type Step =
  | { readonly does: 'send'; readonly command: ConversionCommand; readonly isExact: boolean }
  | { readonly does: 'repeat'; readonly index: number; readonly isRedelivered: boolean }
  | { readonly does: 'set'; readonly settings: ModelSettings; readonly isToldByFact: boolean }
  | { readonly does: 'touch'; readonly touchId: keyof typeof TOUCHES };

class StepCommand implements fc.AsyncCommand<LedgerModel, Real> {
  constructor(
    private readonly step: Step,
    private readonly replica: number,
  ) {}

  check(): boolean {
    return true;
  }

  async run(model: LedgerModel, real: Real): Promise<void> {
    const replica = replicaAt(this.replica);
    if (this.step.does === 'touch') {
      await arrive(replica, real.siteId, this.step.touchId);
      model.arrive(this.step.touchId);
      return;
    }
    if (this.step.does === 'set') return this.set(model, real, this.step);
    const item = this.nextItem(model, real);
    if (item?.kind !== 'command') return;
    const [outcome] = (await replica.ledger.record([item])).outcomes;
    const expected = real.refused.has(item) ? REFUSED : applyAsTold(model, real, item.request);
    expect(outcome?.kind).toBe(expected.kind);
    if (outcome?.kind === 'replayed') expect(outcome.isFirst).toBe(real.accepted.has(item));
    if (outcome?.kind === 'accepted') real.accepted.add(item);
    if (outcome?.kind === 'refused') real.refused.add(item);
    if (outcome !== undefined) expectAnswer(outcome, expected, item.request.command.currency);
    real.sent.push(item);
  }

  /** The site's settings change. The ledger receives them by the fact or with later commands. */
  private async set(model: LedgerModel, real: Real, step: Extract<Step, { does: 'set' }>): Promise<void> {
    real.version += 1;
    const told = { ...step.settings, incarnation: 1, version: real.version };
    if (!step.isToldByFact) {
      real.told = told;
      return;
    }
    await keepSites(replicaAt(this.replica).pool, [siteFact(real.siteId, told)]);
    real.keptVersion = told.version;
    model.settings = step.settings;
  }

  private nextItem(model: LedgerModel, real: Real): GroupItem | undefined {
    if (this.step.does === 'send') {
      const { command, isExact } = this.step;
      const remaining = BigInt(model.orders.get(command.orderId)?.revenue ?? 0);
      const isCorrected = isExact && command.eventType === 'cancellation';
      const corrected = isCorrected ? { ...command, reversedRevenue: remaining } : command;
      return itemOf(real.siteId, corrected, real.told);
    }
    if (this.step.does !== 'repeat' || real.sent.length === 0) return undefined;
    const item = real.sent[this.step.index % real.sent.length];
    if (item?.kind !== 'command' || this.step.isRedelivered) return item;
    return itemOf(real.siteId, item.request.command, real.told);
  }

  toString(): string {
    return JSON.stringify({ ...this.step, replica: this.replica }, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  }
}

const STEPS: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({ does: fc.constant('send' as const), command: COMMANDS, isExact: fc.boolean() }),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      does: fc.constant('repeat' as const),
      index: fc.nat(50),
      isRedelivered: fc.boolean(),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ does: fc.constant('touch' as const), touchId: fc.constantFrom(...TOUCH_IDS) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      does: fc.constant('set' as const),
      settings: SETTINGS,
      isToldByFact: fc.boolean(),
    }),
    weight: 2,
  },
);

describe('the ledger is its model', () => {
  it('the ledger equals its model for any commands, replays and redeliveries, on any replica', async () => {
    const steps = fc
      .tuple(STEPS, fc.nat(REPLICAS - 1))
      .map(([step, replica]) => new StepCommand(step, replica));
    await fc.assert(
      fc.asyncProperty(fc.commands([steps], { maxCommands: 60, size: 'max' }), async (commands) => {
        const siteId = await aSite();
        const model = new LedgerModel(EARNING);
        const real: Real = {
          siteId,
          sent: [],
          accepted: new Set(),
          refused: new Set(),
          told: null,
          version: 0,
          keptVersion: 0,
        };
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await expectAsModelled(siteId, model);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('the ledger explains every answer by some order of the commands, on several replicas', async () => {
    // All groups draw from the same few commands, so that many are sent twice and concurrently.
    const groups = fc.array(COMMANDS, { minLength: 2, maxLength: 12 }).chain((commands) =>
      fc.array(
        fc.record({
          commands: fc.array(fc.constantFrom(...commands), { minLength: 1, maxLength: 6 }),
          replica: fc.nat(REPLICAS - 1),
        }),
        { minLength: 2, maxLength: 8 },
      ),
    );
    await fc.assert(
      fc.asyncProperty(groups, async (given) => {
        const siteId = await aSite();
        const answered = await Promise.all(
          given.map(async ({ commands, replica }) => {
            const items = commands.map((command) => itemOf(siteId, command));
            const { outcomes } = await replicaAt(replica).ledger.record(items);
            return commands.map((command, index) => ({ command, kind: outcomes[index]?.kind ?? 'idle' }));
          }),
        );
        await expectExplained(siteId, answered.flat());
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

/** Settings in a command apply from its own record on, unless newer ones are known. */
function applyAsTold(model: LedgerModel, real: Real, { settings, command }: RecordConversion): ModelAnswer {
  const known = model.settings;
  const isNews = settings !== null && settings.version > real.keptVersion;
  if (isNews) model.settings = { model: settings.model, lookbackDays: settings.lookbackDays };
  const answer = model.apply(command);
  if (isNews && answer.kind === 'accepted') real.keptVersion = settings.version;
  else model.settings = known;
  return answer;
}

interface Answered {
  readonly command: ConversionCommand;
  readonly kind: string;
}

/**
 * The chain gives the serial order: replayed on the model, it leads to the same balances, and every refusal
 * fits at some position.
 */
async function expectExplained(siteId: string, answered: readonly Answered[]): Promise<void> {
  const records = await checkLedger(database.owner, siteId);
  const accepted = answered.filter(({ kind }) => kind === 'accepted');
  expect(records).toHaveLength(accepted.length);
  const index = await orderIndexOf(database.owner, siteId, records);
  expect(index.found).toEqual(index.demanded);
  const model = new LedgerModel(EARNING);
  const unexplained = new Set(answered.filter(({ kind }) => kind !== 'accepted'));
  const explain = (): void => {
    for (const one of unexplained) {
      if (peek(model, one.command) === one.kind) unexplained.delete(one);
    }
  };
  explain();
  for (const record of records) {
    const owner = accepted.find(({ command }) => command.idempotencyKey === record.idempotency_key);
    if (owner === undefined) throw new Error('A record that nobody was told of.');
    expect(model.apply(owner.command)).toEqual({
      kind: 'accepted',
      revenue: Number(record.receivable_balance),
      commissionable: Number(record.commissionable_balance),
    });
    explain();
  }
  expect([...unexplained]).toEqual([]);
}

/** The answer of the model now, without changing it. */
function peek(model: LedgerModel, command: ConversionCommand): string {
  const copy = structuredClone(model);
  Object.setPrototypeOf(copy, LedgerModel.prototype);
  return copy.apply(command).kind;
}

async function expectAsModelled(siteId: string, model: LedgerModel): Promise<void> {
  const records = await checkLedger(database.owner, siteId);
  const index = await orderIndexOf(database.owner, siteId, records);
  expect(index.found).toEqual(index.demanded);
  const last = new Map(records.map((record) => [record.order_id, record]));
  expect(last.size).toBe(model.orders.size);
  for (const [orderId, order] of model.orders) {
    const record = last.get(orderId);
    const ofOrder = records.filter(({ order_id }) => order_id === orderId);
    expect(record).toMatchObject({
      state: order.state,
      receivable_balance: String(order.revenue),
      commissionable_balance: String(order.commissionable),
      commission_balance: String(order.commission),
    });
    const asked = ofOrder.filter(({ event_type }) => event_type !== 'commission');
    expect(asked.map(({ receivable }) => Number(receivable))).toEqual(order.deltas);
    const attribution = JSON.parse(record?.attribution ?? '[]') as {
      share: string;
      outcome: string;
      touch_id: string;
    }[];
    const shares = attribution.reduce((sum, { share }) => sum + Number(share.replace('.', '')), 0);
    expect(shares).toBe(order.commission);
    const attributed = attribution.filter(({ outcome }) => outcome === 'attributed');
    expect(new Set(attributed.map(({ touch_id }) => touch_id))).toEqual(order.sharing);
    expect(record).toMatchObject({
      attribution_model: order.decidedBy.model,
      lookback_days: order.decidedBy.lookbackDays === null ? null : String(order.decidedBy.lookbackDays),
    });
    const matched = attribution
      .filter(({ outcome }) => outcome !== 'unmatched')
      .map(({ touch_id }) => touch_id);
    expect(new Set(matched)).toEqual(order.matched);
  }
  const waiting = await database.owner.query(
    'select 1 from awaited_touches a join touches t using (site_id, touch_id) where a.site_id = $1',
    [siteId],
  );
  expect(waiting.rows).toEqual([]);
}

function expectAnswer(
  outcome: Awaited<ReturnType<Replica['ledger']['record']>>['outcomes'][number],
  expected: ModelAnswer,
  currency: string,
): void {
  if (expected.kind === 'refused' || outcome.kind === 'refused' || outcome.kind === 'idle') return;
  const fields = outcome.kind === 'accepted' ? outcome.sealed.fields : outcome.accepted;
  if ('order' in fields) throw new Error('A group of one replays nothing of its own.');
  const answer = acceptedOf(fields, outcome.kind === 'replayed');
  const scale = currency === 'JPY' ? 1 : 100;
  expect(Math.round(Number(answer.remaining_revenue) * scale)).toBe(expected.revenue);
  expect(Math.round(Number(answer.remaining_commissionable) * scale)).toBe(expected.commissionable);
}

function replicaAt(index: number): Replica {
  const replica = replicas[index];
  if (replica === undefined) throw new Error(`There is no replica ${index}.`);
  return replica;
}

/** A site with the commission rules of the model. */
async function aSite(): Promise<string> {
  const siteId = randomUUID();
  const common = { website_id: siteId, provider: 'awin', effective_from: '2026-01-01T00:00:00.000Z' };
  const percentage = { ...common, type: 'percentage', amount: null, currency: null } as const;
  const { rules } = replicaAt(0);
  await rules.keep(randomUUID(), { ...percentage, partner_id: 'percent', rate: '0.05' }, OWNER);
  await rules.keep(randomUUID(), { ...percentage, partner_id: 'other', rate: '0.070' }, OWNER);
  const fixed = { ...common, type: 'fixed', rate: null, amount: '1.01', currency: 'EUR' } as const;
  await rules.keep(randomUUID(), { ...fixed, partner_id: 'fixed' }, OWNER);
  return siteId;
}

/** Stores a touch, and handles its fact. */
async function arrive(replica: Replica, siteId: string, touchId: keyof typeof TOUCHES): Promise<void> {
  const touch = aTouch({ touch_id: touchId, ...TOUCHES[touchId] });
  const request = { site_id: siteId, request_id: randomUUID(), touches: [touch] };
  await replica.touches.record([{ request, correlationId: randomUUID() }]);
  const value = JSON.stringify({ site_id: siteId, touch_id: touchId });
  await matchTouches({ ...replica, relay: { wake: () => undefined } }, [
    { topic: TOPICS.touchesRecorded.name, value },
  ]);
}
