import {
  decideSettlement,
  type KnownSettlement,
  type SettlementVersion,
  type ToldState,
} from './decide-settlement.js';
import type { CountedState } from './facts.js';
import type { SettlementChange } from './fold-facts.js';
import type { MicroInstant } from './instants.js';

/** An offered state of a settlement, and whether its network reports times of change. */
export interface OfferedSettlement {
  readonly version: SettlementVersion;
  readonly isChangeTimed: boolean;
}

/** What became of a state whose site exists. */
export type Decision = 'contradicts' | 'kept';

/** The decisions about the states of one transaction. */
export interface Decided {
  readonly kept: readonly Decision[];
  /** New states that do not count, or no longer, in the order of their decisions. */
  readonly states: readonly SettlementVersion[];
  readonly counted: readonly CountedState[];
  /** One per settlement: from the former to the new current state. */
  readonly changes: readonly SettlementChange[];
}

/**
 * Decides offered states in their order, in time that is linear in their number, however many of them are of the
 * same settlement.
 * @param known the current states of their settlements, and those with an offered `updatedAt`
 */
export function decideSettlements(
  offered: readonly OfferedSettlement[],
  known: ReadonlyMap<string, KnownSettlement>,
  seenAt: MicroInstant,
): Decided {
  const tellings = new Map<string, Telling>();
  const states: SettlementVersion[] = [];
  const counted: CountedState[] = [];
  const kept = offered.map(({ version, isChangeTimed }): Decision => {
    const id = version.settlementId;
    const telling = tellings.get(id) ?? tellingOf(known.get(id));
    tellings.set(id, telling);
    const before = telling.current;
    const asKnown = before === undefined ? undefined : { current: before, states: telling.states };
    const verdict = decideSettlement(version, asKnown, { isChangeTimed, seenAt });
    if (verdict.kind === 'contradicts') return 'contradicts';
    if (verdict.kind === 'known') return 'kept';
    if (verdict.kind === 'counts') {
      counted.push({ version: verdict.version, previousStatus: before?.status ?? null });
      telling.current = verdict.version;
    }
    telling.states.set(verdict.version.updatedAt, verdict.version);
    states.push(verdict.version);
    return 'kept';
  });
  const changes = [...tellings].flatMap(([id, { current: after }]) => {
    const before = known.get(id)?.current;
    return after === undefined || after === before ? [] : [{ before, after }];
  });
  const current = new Set(changes.map(({ after }) => after));
  return { kept, states: states.filter((state) => !current.has(state)), counted, changes };
}

/** A settlement while its states are decided: changed in place, because a copy for each state is quadratic. */
interface Telling {
  current: SettlementVersion | undefined;
  readonly states: Map<MicroInstant, ToldState>;
}

function tellingOf(known: KnownSettlement | undefined): Telling {
  return { current: known?.current, states: new Map(known?.states) };
}
