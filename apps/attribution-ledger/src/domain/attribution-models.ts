import type { AttributionSettings } from '@truetally/contracts/attribution';
import type { AttributionModel } from '@truetally/contracts/facts';
import { compareCodePoints, NO_REVISION, type Revision, unreachable } from '@truetally/kernel';
import type { InstantColumn } from './instants.js';

/** Who shares a commission: the part of a site's settings that a record keeps. */
export type AttributionRule = Omit<AttributionSettings, keyof Revision>;

/** For a site without known settings (interface page, section 9: the defaults). */
export const DEFAULT_SETTINGS: AttributionSettings = { model: 'linear', lookbackDays: null, ...NO_REVISION };

interface Candidate {
  readonly touchId: string;
  readonly occurredAt: InstantColumn;
}

/** Why a touch has a share, by model. */
export const SHARING_REASONS = {
  linear: 'shared_equally',
  last_touch: 'last_touch',
  first_touch: 'first_touch',
} as const satisfies Record<AttributionModel, string>;

/** The eligible touches that share: all of them, the latest or the earliest (interface page, section 6). */
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

/** Ties go to the smallest touch id, so that the order of an order's touches does not matter. */
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
