import type { SettlementVersion } from './decide-settlement.js';
import type { ClickFact, ReportChanges, Standing } from './report-changes.js';

/** A counted click, with the keyed hash of its reference. */
export interface CountedClick {
  readonly click: ClickFact;
  readonly hash: string;
}

/** The key that matches clicks and settlements: a reference belongs to one network. */
export function referenceKey(hash: string, provider: string): string {
  return `${hash}:${provider}`;
}

/** The state of a reference before a change. */
export interface KnownReference {
  /** Of its clicks the one that was received first: it owns the reference, and all others are repetitions. */
  readonly first: ClickFact | undefined;
  /** Whether any settlement names it. */
  readonly isSettled: boolean;
}

const UNKNOWN: KnownReference = { first: undefined, isSettled: false };

/** A reference whose settlements have another click after a change. */
export interface MovedReference {
  readonly before: KnownReference;
  readonly after: KnownReference;
}

/**
 * Adds newly counted clicks. A reference's first click gets its settlements; a later one is a repetition, because a reference
 * is issued once, and stands in a URL that the visitor, the partner and every log on the way know.
 * @returns by key the references whose settlements `restandSettlements` is to be given, all of them in any parts
 */
export function foldClicks(
  changes: ReportChanges,
  added: readonly CountedClick[],
  known: ReadonlyMap<string, KnownReference>,
): ReadonlyMap<string, MovedReference> {
  const moved = new Map<string, MovedReference>();
  for (const [key, clicks] of byReference(added)) {
    const before = known.get(key) ?? UNKNOWN;
    const first = firstOf([...(before.first === undefined ? [] : [before.first]), ...clicks]);
    const after: KnownReference = { ...before, first };
    if (before.first?.eventId !== first?.eventId) {
      // Clicks may be told in another order than they were received in.
      if (before.first !== undefined) {
        changes.click(before.first, standingOf(before), -1n);
        changes.click(before.first, 'repeated', 1n);
      }
      moved.set(key, { before, after });
    }
    for (const click of clicks) {
      changes.click(click, click.eventId === first?.eventId ? standingOf(after) : 'repeated', 1n);
    }
  }
  return moved;
}

/** Replaces the standing of settlements whose references have moved. */
export function restandSettlements(
  changes: ReportChanges,
  settlements: readonly SettlementVersion[],
  moved: ReadonlyMap<string, MovedReference>,
): void {
  for (const settlement of settlements) {
    const reference = moved.get(keyOf(settlement) ?? '');
    if (reference === undefined) continue;
    const { before, after } = reference;
    changes.settlement(settlement, standingOfSettlement(before), before.first, -1n);
    changes.settlement(settlement, standingOfSettlement(after), after.first, 1n);
  }
}

/** A settlement's former state, if one counted, and the current one. */
export interface SettlementChange {
  readonly before: SettlementVersion | undefined;
  readonly after: SettlementVersion;
}

/**
 * Replaces states of settlements. Clicks that get their first settlement, or lose the last one, change their
 * standing too.
 * @param isSettledAfter whether any settlement names a reference after all of these changes
 */
export function foldSettlements(
  changes: ReportChanges,
  changed: readonly SettlementChange[],
  known: ReadonlyMap<string, KnownReference>,
  isSettledAfter: (key: string) => boolean,
): void {
  const touched = new Set<string>();
  for (const { before, after } of changed) {
    for (const [version, sign] of [
      [before, -1n],
      [after, 1n],
    ] as const) {
      if (version === undefined) continue;
      const key = keyOf(version);
      if (key === undefined) {
        changes.settlement(version, undefined, undefined, sign);
        continue;
      }
      touched.add(key);
      const reference = known.get(key) ?? UNKNOWN;
      changes.settlement(version, standingOfSettlement(reference), reference.first, sign);
    }
  }
  for (const key of touched) {
    const reference = known.get(key) ?? UNKNOWN;
    const { first } = reference;
    const isSettled = isSettledAfter(key);
    if (first === undefined || reference.isSettled === isSettled) continue;
    changes.click(first, standingOf(reference), -1n);
    changes.click(first, standingOf({ isSettled }), 1n);
  }
}

/** A settlement's matching key; undefined without a reference. */
export function keyOf({ referenceHash, provider }: SettlementVersion): string | undefined {
  return referenceHash === null ? undefined : referenceKey(referenceHash, provider);
}

/** Of the first click of a reference. */
export function standingOf({ isSettled }: Pick<KnownReference, 'isSettled'>): Standing {
  return isSettled ? 'matched' : 'unmatched';
}

export function standingOfSettlement({ first }: Pick<KnownReference, 'first'>): Standing {
  return first === undefined ? 'unmatched' : 'matched';
}

/** The click that was received first; of several at one instant, the one with the smallest id. */
export function firstOf(clicks: readonly ClickFact[]): ClickFact | undefined {
  return clicks.reduce<ClickFact | undefined>(
    (first, click) => (first === undefined || isBefore(click, first) ? click : first),
    undefined,
  );
}

function isBefore(one: ClickFact, other: ClickFact): boolean {
  // As numbers: a table tells more digits of an instant than a fact.
  const [at, otherAt] = [Date.parse(one.receivedAt), Date.parse(other.receivedAt)];
  return at === otherAt ? one.eventId < other.eventId : at < otherAt;
}

function byReference(added: readonly CountedClick[]): ReadonlyMap<string, readonly ClickFact[]> {
  const groups = new Map<string, ClickFact[]>();
  for (const { click, hash } of added) {
    const key = referenceKey(hash, click.provider);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [click]);
    else group.push(click);
  }
  return groups;
}
