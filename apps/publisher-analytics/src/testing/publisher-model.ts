import { randomUUID } from 'node:crypto';
import type { Calendar } from '@truetally/kernel';
import {
  decideSettlement,
  type KnownSettlement,
  type SettlementVersion,
} from '../domain/decide-settlement.js';
import {
  type CountedClick,
  firstOf,
  foldClicks,
  foldSettlements,
  keyOf,
  type KnownReference,
  referenceKey,
  restandSettlements,
  type SettlementChange,
} from '../domain/fold-facts.js';
import { type ClickFact, ITEM_MEASURES, ReportChanges, TOTAL_MEASURES } from '../domain/report-changes.js';

/** A folded fact: a click with its reference, or a state of a settlement. */
export type Told =
  | { readonly kind: 'click'; readonly counted: CountedClick }
  | { readonly kind: 'settlement'; readonly version: SettlementVersion };

/** The service's facts and sums in memory, kept by the same rules as its tables. */
export class PublisherModel {
  private readonly clicks = new Map<string, CountedClick>();
  private readonly settlements = new Map<string, KnownSettlement>();
  private readonly sums = new Map<string, bigint>();

  constructor(private readonly calendar: Calendar) {}

  /** A transaction: clicks or settlements, possibly repeated. */
  tell(told: readonly Told[]): void {
    const clicks = told.flatMap((one) => (one.kind === 'click' ? [one.counted] : []));
    this.addClicks(clicks);
    for (const one of told) if (one.kind === 'settlement') this.addSettlement(one.version);
  }

  /** The person of these clicks is erased: references whose first click is one of them are random from now on. */
  erase(eventIds: readonly string[]): void {
    const own = new Set(eventIds);
    const keys = eventIds.flatMap((eventId) => {
      const one = this.clicks.get(eventId);
      if (one === undefined) return [];
      const key = referenceKey(one.hash, one.click.provider);
      const { first } = this.referenceOf(key);
      return first !== undefined && own.has(first.eventId) ? [key] : [];
    });
    for (const key of new Set(keys)) {
      const nameless = randomUUID().replaceAll('-', '');
      const isOfKey = (hash: string | null, provider: string): boolean =>
        hash !== null && referenceKey(hash, provider) === key;
      for (const [id, one] of this.clicks) {
        if (isOfKey(one.hash, one.click.provider)) this.clicks.set(id, { ...one, hash: nameless });
      }
      for (const [id, { current, states }] of this.settlements) {
        const renamed = <T extends { readonly referenceHash: string | null }>(state: T): T =>
          isOfKey(state.referenceHash, current.provider) ? { ...state, referenceHash: nameless } : state;
        const told = new Map([...states].map(([at, state]) => [at, renamed(state)] as const));
        this.settlements.set(id, { current: renamed(current), states: told });
      }
    }
  }

  /** Every sum that is not zero, by its name. */
  report(): Readonly<Record<string, bigint>> {
    return Object.fromEntries([...this.sums].filter(([, sum]) => sum !== 0n).sort());
  }

  /** The same sums, computed from all facts in one step. */
  recomputed(): Readonly<Record<string, bigint>> {
    const anew = new PublisherModel(this.calendar);
    anew.addClicks([...this.clicks.values()]);
    for (const { current } of this.settlements.values()) anew.addSettlement(current);
    return anew.report();
  }

  private addClicks(told: readonly CountedClick[]): void {
    const added = [...new Map(told.map((one) => [one.click.eventId, one])).values()].filter(
      ({ click }) => !this.clicks.has(click.eventId),
    );
    const known = new Map(
      added.map(({ click, hash }) => {
        const key = referenceKey(hash, click.provider);
        return [key, this.referenceOf(key)] as const;
      }),
    );
    const changes = new ReportChanges(() => this.calendar);
    const moved = foldClicks(changes, added, known);
    const settlements = [...this.settlements.values()].map(({ current }) => current);
    restandSettlements(changes, settlements, moved);
    for (const one of added) this.clicks.set(one.click.eventId, one);
    this.apply(changes);
  }

  private addSettlement(version: SettlementVersion): void {
    const known = this.settlements.get(version.settlementId);
    const verdict = decideSettlement(version, known, { isChangeTimed: true, seenAt: version.updatedAt });
    if (verdict.kind === 'known' || verdict.kind === 'contradicts') return;
    const states = new Map(known?.states).set(version.updatedAt, version);
    const current = verdict.kind === 'counts' ? verdict.version : (known?.current ?? version);
    const change: SettlementChange = { before: known?.current, after: current };
    const keys = [known?.current, current].flatMap((one) => (one === undefined ? [] : (keyOf(one) ?? [])));
    const references = new Map(keys.map((key) => [key, this.referenceOf(key)] as const));
    this.settlements.set(version.settlementId, { current, states });
    if (verdict.kind === 'history') return;
    const changes = new ReportChanges(() => this.calendar);
    foldSettlements(changes, [change], references, (key) => this.referenceOf(key).isSettled);
    this.apply(changes);
  }

  private referenceOf(key: string): KnownReference {
    const clicks: ClickFact[] = [];
    for (const { click, hash } of this.clicks.values()) {
      if (referenceKey(hash, click.provider) === key) clicks.push(click);
    }
    const isSettled = [...this.settlements.values()].some(({ current }) => keyOf(current) === key);
    return { first: firstOf(clicks), isSettled };
  }

  private apply(changes: ReportChanges): void {
    for (const { measures, siteId, level, start, currency } of changes.totalChanges()) {
      for (const name of TOTAL_MEASURES) {
        this.add(['total', siteId, level, start, currency, name].join('|'), measures[name]);
      }
    }
    for (const { measures, siteId, level, start, currency, kind, name: item } of changes.itemChanges()) {
      for (const name of ITEM_MEASURES) {
        this.add([kind, siteId, level, start, currency, item, name].join('|'), measures[name]);
      }
    }
  }

  private add(name: string, change: bigint): void {
    this.sums.set(name, (this.sums.get(name) ?? 0n) + change);
  }
}
