import { type EventType, isEventType } from './event-types.js';

export const MIN_STEPS = 2;
export const MAX_STEPS = 8;
const MAX_MINUTES = 43_200;

export const USUAL_STEPS: readonly EventType[] = ['page_view', 'product_view', 'add_to_cart', 'purchase'];
export const USUAL_MINUTES = 1440;
export const BREAKDOWNS = ['day', 'device', 'provider'] as const;

export interface FunnelSearch {
  /** Event types, separated by commas. */
  readonly steps?: string;
  /** From a session's first step to each later one. */
  readonly minutes?: number;
  readonly breakdown?: (typeof BREAKDOWNS)[number];
}

/** What of an address is a funnel; a broken part falls away. */
export function readFunnelSearch(search: Record<string, unknown>): FunnelSearch {
  const steps = stepsOf(search['steps']);
  const minutes = Number(search['minutes']);
  const breakdown = BREAKDOWNS.find((one) => one === search['breakdown']);
  return {
    ...(steps !== undefined && { steps: steps.join(',') }),
    ...(Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES && { minutes }),
    ...(breakdown !== undefined && { breakdown }),
  };
}

/** The steps of a list with commas; undefined when they are not two to eight known types. */
export function stepsOf(text: unknown): readonly EventType[] | undefined {
  if (typeof text !== 'string') return undefined;
  const steps = text.split(',').filter((step) => step !== '');
  const isWhole = steps.length >= MIN_STEPS && steps.length <= MAX_STEPS && steps.every(isEventType);
  return isWhole ? steps.filter(isEventType) : undefined;
}
