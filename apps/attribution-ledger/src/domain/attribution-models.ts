import type { AttributionSettings } from '@truetally/contracts/attribution';
import type { AttributionModel } from '@truetally/contracts/facts';
import { compareCodePoints, unreachable } from '@truetally/kernel';
import type { InstantColumn } from './instants.js';

/** Who shares a commission: what a record keeps of its site's settings. */
export type AttributionRule = Omit<AttributionSettings, 'version'>;

/** Of a site that nothing is known of yet (interface page, section 9: the defaults). */
export const DEFAULT_SETTINGS: AttributionSettings = { model: 'linear', lookbackDays: null, version: 0 };

interface Candidate {
  readonly touchId: string;
  readonly occurredAt: InstantColumn;
}

/** Why a touch that shares does so, by the model. */
export const SHARING_REASONS = {
  linear: 'shared_equally',
  last_touch: 'last_touch',
  first_touch: 'first_touch',
} as const satisfies Record<AttributionModel, string>;

/** Those of the eligible touches that share: all of them, the latest or the earliest (interface page, section 6). */
export function sharersOf(eligible: readonly Candidate[], model: AttributionModel): ReadonlySet<string> {
  switch (model) {
    case 'linear':
      return new Set(eligible.map(({ touchId }) => touchId));
    case 'last_touch':
      return winnerOf(eligible, (one, other) => one.occurredAt > other.occurredAt);
    case 'first_touch':
      return winnerOf(eligible, (one, other) => one.occurredAt < other.occurredAt);
    default:
      return unreachable(model);
  }
}

/** Of equal times the smallest touch id, so that the order in which an order names its touches does not matter. */
function winnerOf(
  eligible: readonly Candidate[],
  wins: (one: Candidate, other: Candidate) => boolean,
): ReadonlySet<string> {
  let winner: Candidate | undefined;
  for (const one of eligible) {
    const isTied = winner !== undefined && one.occurredAt === winner.occurredAt;
    const isFirstOfTied = isTied && compareCodePoints(one.touchId, winner?.touchId ?? '') < 0;
    if (winner === undefined || isFirstOfTied || wins(one, winner)) winner = one;
  }
  return new Set(winner === undefined ? [] : [winner.touchId]);
}
