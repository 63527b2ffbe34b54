import { ATTACKS } from './neighbour/attacks.js';
import { runNeighbour } from './neighbour/run-neighbour.js';
import { runFaults, SCENARIOS } from './run-faults.js';
import type { Pace } from './scenario.js';

/** A kind of trouble that `npm run chaos -- <name>` makes. */
export interface ChaosArea {
  /** What can be named after it. */
  readonly rows: readonly { readonly name: string; readonly what: string }[];
  /**
   * @param isChosen whether the row of this name is wanted
   * @returns whether all did well
   */
  readonly run: (isChosen: (row: { readonly name: string }) => boolean, pace: Pace) => Promise<boolean>;
}

export type AreaName = 'faults' | 'neighbour';

export const AREAS: Readonly<Record<AreaName, ChaosArea>> = {
  /** Every part is killed, stopped, starved and slowed. */
  faults: { rows: SCENARIOS, run: (isChosen, pace) => runFaults(SCENARIOS.filter(isChosen), pace) },
  /** Nothing fails, and one merchant takes what it may. */
  neighbour: { rows: ATTACKS, run: (isChosen) => runNeighbour(ATTACKS.filter(isChosen)) },
};
