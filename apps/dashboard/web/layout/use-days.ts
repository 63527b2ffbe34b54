import { useSearch } from '@tanstack/react-router';
import { addDays, dayOf, daysBetween } from '../domain/site-days.js';
import { useWorkspace } from './workspace-context.js';

const USUAL_DAYS = 30;

/** Days of the site, half-open: `to` is the day after the last one. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The days that the address names, or the last thirty; `before` is the time of the same length that ends with them. */
export function useDays(): { readonly days: Days; readonly before: Days } {
  const { zone } = useWorkspace();
  const { from: asked, to: end } = useSearch({ from: '/w/$workspaceId' });
  const today = dayOf(new Date().toISOString(), zone);
  const from = asked ?? addDays(today, 1 - USUAL_DAYS);
  const to = end ?? addDays(today, 1);
  return { days: { from, to }, before: { from: addDays(from, -daysBetween(from, to)), to: from } };
}
