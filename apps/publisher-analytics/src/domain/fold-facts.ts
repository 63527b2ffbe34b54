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
  /** Its clicks, at most two: more change nothing. */
  readonly clicks: readonly ClickFact[];
  /** Whether any settlement names it. */
  readonly isSettled: boolean;
}

const UNKNOWN: KnownReference = { clicks: [], isSettled: false };

/** A reference whose settlements have another standing after a change. */
export interface MovedReference {
  readonly before: KnownReference;
  readonly after: KnownReference;
}

/**
 * Adds newly counted clicks. A first click gets the settlements that waited for it; a second one makes them
 * ambiguous.
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
    const after: KnownReference = { ...before, clicks: [...before.clicks, ...clicks] };
    const [first] = before.clicks;
    const hasMoved = standingOfClick(before) !== standingOfClick(after);
    if (before.clicks.length === 1 && first !== undefined && hasMoved) {
      changes.click(first, standingOfClick(before), -1n);
      changes.click(first, standingOfClick(after), 1n);
    }
    for (const click of clicks) changes.click(click, standingOfClick(after), 1n);
    if (standingOfSettlement(before) !== standingOfSettlement(after)) moved.set(key, { before, after });
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
    changes.settlement(settlement, standingOfSettlement(before), onlyClick(before), -1n);
    changes.settlement(settlement, standingOfSettlement(after), onlyClick(after), 1n);
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
      changes.settlement(version, standingOfSettlement(reference), onlyClick(reference), sign);
    }
  }
  for (const key of touched) {
    const reference = known.get(key) ?? UNKNOWN;
    const click = onlyClick(reference);
    const isSettled = isSettledAfter(key);
    if (click === undefined || reference.isSettled === isSettled) continue;
    changes.click(click, standingOfClick(reference), -1n);
    changes.click(click, standingOfClick({ ...reference, isSettled }), 1n);
  }
}

/** A settlement's matching key; undefined without a reference. */
export function keyOf({ referenceHash, provider }: SettlementVersion): string | undefined {
  return referenceHash === null ? undefined : referenceKey(referenceHash, provider);
}

export function standingOfClick({ clicks, isSettled }: KnownReference): Standing {
  if (clicks.length > 1) return 'ambiguous';
  return isSettled ? 'matched' : 'unmatched';
}

export function standingOfSettlement({ clicks }: Pick<KnownReference, 'clicks'>): Standing {
  if (clicks.length > 1) return 'ambiguous';
  return clicks.length === 1 ? 'matched' : 'unmatched';
}

/** The click of a reference, if it is the only one. */
export function onlyClick({ clicks }: Pick<KnownReference, 'clicks'>): ClickFact | undefined {
  return clicks.length === 1 ? clicks[0] : undefined;
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
