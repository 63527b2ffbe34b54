import type { SettlementStatus } from '@truetally/contracts/publisher';
import { beginningOf, type Calendar, type Day } from '@truetally/kernel';
import type { SettlementVersion } from './decide-settlement.js';
import { epochMsOf } from './instants.js';
import type { ItemKind } from './names.js';

/** The analytics fact of a click (interface page, section 8), without its reference. */
export interface ClickFact {
  readonly eventId: string;
  readonly siteId: string;
  readonly provider: string;
  /** ISO 8601 UTC. */
  readonly occurredAt: string;
  /** ISO 8601 UTC: when the product got it, which its sender cannot choose. */
  readonly receivedAt: string;
  readonly isBot: boolean;
  readonly partnerId: string | null;
  readonly campaignId: string | null;
  readonly contentId: string | null;
  readonly placementId: string | null;
  readonly creativeId: string | null;
  readonly destinationHost: string;
  readonly destinationPath: string;
}

/** Standing of a settlement with a reference, or of the first click of one: whether it has a counterpart. */
export type Standing = 'matched' | 'unmatched';
/** A later click of the same reference is a repetition: whoever knows the reference can send it again. */
export type ClickStanding = Standing | 'repeated';

/** Sums are stored by day, month and year, so that three years need as few rows as thirty days. */
export const LEVELS = ['day', 'month', 'year'] as const;
export type Level = (typeof LEVELS)[number];

export const TOTAL_MEASURES = [
  'clicks',
  'clicks_matched',
  'clicks_repeated',
  'pending_count',
  'approved_count',
  'declined_count',
  'reversed_count',
  'pending_commission',
  'approved_commission',
  'declined_commission',
  'reversed_commission',
  'commissionable',
  'with_reference',
  'matched',
] as const;
export type TotalMeasure = (typeof TOTAL_MEASURES)[number];

export const ITEM_MEASURES = ['clicks', 'orders', 'commission'] as const;
export type ItemMeasure = (typeof ITEM_MEASURES)[number];

/** The key of sums without a currency: those of clicks. */
export const NO_CURRENCY = '';

interface Place {
  readonly siteId: string;
  readonly level: Level;
  readonly start: Day;
  readonly currency: string;
}

export type TotalChange = Place & { readonly measures: Readonly<Record<TotalMeasure, bigint>> };
export type ItemChange = Place & {
  readonly kind: ItemKind;
  readonly name: string;
  readonly measures: Readonly<Record<ItemMeasure, bigint>>;
};

/** Whether a settlement counts as an order and its commission is attributed. */
export function isSettled(status: SettlementStatus): boolean {
  return status === 'approved' || status === 'pending';
}

/**
 * The changes that clicks and settlements make to a report: sums of whole numbers, so that any order of the
 * same changes gives the same report.
 */
export class ReportChanges {
  private readonly totals = new Map<string, Place & { measures: Record<TotalMeasure, bigint> }>();
  private readonly items = new Map<
    string,
    Place & { kind: ItemKind; name: string; measures: Record<ItemMeasure, bigint> }
  >();

  constructor(private readonly calendarOf: (siteId: string) => Calendar) {}

  /** Sums of days, which become up to three times as many with those of months and years. */
  get size(): number {
    return this.totals.size + this.items.size;
  }

  /** @param sign 1 adds it, -1 subtracts it */
  click(click: ClickFact, standing: ClickStanding, sign: 1n | -1n): void {
    const { siteId } = click;
    const day = this.dayOf(siteId, click.occurredAt);
    const total = this.total(siteId, day, NO_CURRENCY);
    total.clicks += sign;
    if (standing === 'matched') total.clicks_matched += sign;
    if (standing === 'repeated') total.clicks_repeated += sign;
    for (const [kind, name] of itemsOf(click)) this.item(siteId, day, NO_CURRENCY, kind, name).clicks += sign;
  }

  /**
   * @param standing undefined without a reference
   * @param click the matched one
   */
  settlement(
    settlement: SettlementVersion,
    standing: Standing | undefined,
    click: ClickFact | undefined,
    sign: 1n | -1n,
  ): void {
    const { siteId, status, currency, commission } = settlement;
    const day = this.dayOf(siteId, settlement.transactionAt);
    const total = this.total(siteId, day, currency);
    const { count, earned } = MEASURES_OF[status];
    total[count] += sign;
    total[earned] += sign * commission;
    if (isSettled(status)) total.commissionable += sign * settlement.commissionable;
    if (standing !== undefined) total.with_reference += sign;
    if (standing === 'matched') total.matched += sign;
    if (click === undefined || !isSettled(status)) return;
    for (const [kind, name] of itemsOf(click)) {
      const item = this.item(siteId, day, currency, kind, name);
      item.orders += sign;
      item.commission += sign * commission;
    }
  }

  /** Non-zero changes of every level, in the order of their keys: the same in all transactions. */
  totalChanges(): readonly TotalChange[] {
    return inAllLevels([...this.totals.values()], TOTAL_MEASURES, (one) => one.currency);
  }

  itemChanges(): readonly ItemChange[] {
    return inAllLevels(
      [...this.items.values()],
      ITEM_MEASURES,
      (one) => `${one.currency} ${one.kind} ${one.name}`,
    );
  }

  private dayOf(siteId: string, instant: string): Day {
    return this.calendarOf(siteId).dayOf(epochMsOf(instant));
  }

  private total(siteId: string, start: Day, currency: string): Record<TotalMeasure, bigint> {
    const key = `${siteId} ${start} ${currency}`;
    const known = this.totals.get(key);
    if (known !== undefined) return known.measures;
    const measures = zeros(TOTAL_MEASURES);
    this.totals.set(key, { siteId, level: 'day', start, currency, measures });
    return measures;
  }

  private item(
    siteId: string,
    start: Day,
    currency: string,
    kind: ItemKind,
    name: string,
  ): Record<ItemMeasure, bigint> {
    const key = `${siteId} ${start} ${currency} ${kind} ${name}`;
    const known = this.items.get(key);
    if (known !== undefined) return known.measures;
    const measures = zeros(ITEM_MEASURES);
    this.items.set(key, { siteId, level: 'day', start, currency, kind, name, measures });
    return measures;
  }
}

const MEASURES_OF = {
  pending: { count: 'pending_count', earned: 'pending_commission' },
  approved: { count: 'approved_count', earned: 'approved_commission' },
  declined: { count: 'declined_count', earned: 'declined_commission' },
  reversed: { count: 'reversed_count', earned: 'reversed_commission' },
} as const satisfies Readonly<Record<SettlementStatus, object>>;

/** Host and path, as shown in a report. */
export function destinationOf({ destinationHost, destinationPath }: ClickFact): string {
  return destinationHost + destinationPath;
}

function itemsOf(click: ClickFact): readonly (readonly [ItemKind, string])[] {
  const destination = ['destination', destinationOf(click)] as const;
  return click.contentId === null ? [destination] : [['content', click.contentId], destination];
}

function zeros<Measure extends string>(names: readonly Measure[]): Record<Measure, bigint> {
  return Object.fromEntries(names.map((name) => [name, 0n])) as Record<Measure, bigint>;
}

/** The changes of days, summed by month and year. */
function inAllLevels<
  Measure extends string,
  T extends Place & { readonly measures: Record<Measure, bigint> },
>(days: readonly T[], names: readonly Measure[], restOfKey: (one: T) => string): readonly T[] {
  const sums = new Map<string, T>();
  for (const level of LEVELS) {
    for (const one of days) {
      const start = beginningOf(one.start, level);
      const key = `${one.siteId} ${level} ${start} ${restOfKey(one)}`;
      const sum = sums.get(key) ?? { ...one, level, start, measures: zeros(names) };
      for (const name of names) sum.measures[name] += one.measures[name];
      sums.set(key, sum);
    }
  }
  return [...sums]
    .filter(([, { measures }]) => names.some((name) => measures[name] !== 0n))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, sum]) => sum);
}
