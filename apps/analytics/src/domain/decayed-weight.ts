/** The first day of 2026 since 1970: the day whose weight is 1. */
export const LANDMARK_DAY = 20_454;

/** After so many days a basket counts half as much as a new one. */
export const POPULARITY_HALF_LIFE_DAYS = 14;
export const NEIGHBOUR_HALF_LIFE_DAYS = 90;

/**
 * What a basket of this day counts (forward decay: Cormode and others, 2009). New baskets weigh more, instead of old
 * ones less: sums need no refreshing, their order is that of sums that decay, and the order of arrival does not matter.
 * A double holds the weights of 39 years.
 */
export function weightOf(day: number, halfLifeDays: number): number {
  return 2 ** ((day - LANDMARK_DAY) / halfLifeDays);
}
