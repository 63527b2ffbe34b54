import type { WorkflowBody } from '@truetally/node';
import { EVENT_TYPES } from './event-types.js';

export type TriggerType = WorkflowBody['trigger']['event_types'][number];

/** What a workflow waits for: events of the backend, and entries of the ledger (interface page, section 10). */
export const TRIGGER_TYPES: readonly TriggerType[] = [
  'conversion.purchase',
  'conversion.adjustment',
  'conversion.cancellation',
  ...EVENT_TYPES,
];

export const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'in', 'exists'] as const;

export const OPERATOR_WORDS: Readonly<Record<(typeof OPERATORS)[number], string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  in: 'is one of (with commas)',
  exists: 'is there (true or false)',
};

/** A condition's value as it was meant: `10` and `true` are no texts, and `in` has a list. */
export function valueOf(operator: (typeof OPERATORS)[number], text: string) {
  return operator === 'in' ? text.split(',').map((one) => plain(one.trim())) : plain(text.trim());
}

function plain(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  // Only what comes back as it was typed: `007` and `1e400` stay texts.
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
