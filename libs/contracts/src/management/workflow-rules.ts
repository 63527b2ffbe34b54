import { isRawNumber } from '@truetally/kernel';
import type { ConditionOperator } from '../facts/workflow-record.js';
import type { Violation } from '../validation/compile-validator.js';
import { isJsonObject, isLongerThan, shapeOf } from '../validation/shape.js';

const MAX_TEXT_LENGTH = 1_024;
const MAX_ALTERNATIVES = 100;

/** Names at the root of what conditions read: of stored events, and of records of the ledger. */
const ROOTS: ReadonlySet<string> = new Set([
  ...['event_id', 'site_id', 'event_type', 'session_id', 'user_id', 'device_id', 'client_event_id'],
  ...['occurred_at', 'received_at', 'is_bot', 'request_id', 'properties', 'context'],
  ...['record_id', 'conversion_id', 'order_id', 'order_sequence', 'state', 'currency', 'recorded_at'],
  ...['purchase_occurred_at', 'revenue_delta', 'commissionable_delta', 'tax_delta', 'shipping_delta'],
  ...['discount_delta', 'margin_delta', 'commission_delta', 'remaining_revenue', 'remaining_commissionable'],
  ...['remaining_margin', 'margin_basis', 'commission', 'touch_ids', 'reason'],
]);

/** What an operator may be given. */
const VALUES: Readonly<
  Record<ConditionOperator, { readonly accepts: (value: unknown) => boolean; readonly demand: string }>
> = {
  eq: { accepts: isScalar, demand: scalarDemand() },
  ne: { accepts: isScalar, demand: scalarDemand() },
  gt: { accepts: isOrdered, demand: orderedDemand() },
  gte: { accepts: isOrdered, demand: orderedDemand() },
  lt: { accepts: isOrdered, demand: orderedDemand() },
  lte: { accepts: isOrdered, demand: orderedDemand() },
  contains: { accepts: isScalar, demand: scalarDemand() },
  in: {
    accepts: (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= MAX_ALTERNATIVES &&
      value.every((one) => isScalar(one)),
    demand: `must be an array of 1 to ${MAX_ALTERNATIVES} texts, numbers, true or false`,
  },
  exists: {
    accepts: (value) => value === undefined || value === null || typeof value === 'boolean',
    demand: 'must be true or false, or absent',
  },
};

/** Rules over a condition's operator and value, whatever they are (interface page, section 10). */
export function checkConditions(trigger: unknown): readonly Violation[] {
  const conditions: unknown = isJsonObject(trigger) ? trigger['conditions'] : undefined;
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((condition: unknown, index) =>
    isJsonObject(condition) ? checkCondition(condition, `trigger.conditions.${index}`) : [],
  );
}

function checkCondition(
  { field, operator, value }: Readonly<Record<string, unknown>>,
  path: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  const root = typeof field === 'string' ? (field.split('.')[0] ?? '') : undefined;
  if (root !== undefined && root !== '' && !ROOTS.has(root)) {
    const demand = `must begin with a field of an event or of a ledger entry: ${[...ROOTS].join(', ')}`;
    violations.push({ path: `${path}.field`, message: demand });
  }
  if (typeof operator !== 'string' || !Object.hasOwn(VALUES, operator)) return violations;
  const { accepts, demand } = VALUES[operator as ConditionOperator];
  if (!accepts(value)) {
    violations.push({ path: `${path}.value`, message: `${demand} for ${operator}; got ${shapeOf(value)}` });
  }
  return violations;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'boolean' || isOrdered(value);
}

function isOrdered(value: unknown): boolean {
  if (typeof value === 'string') return !isLongerThan(value, MAX_TEXT_LENGTH);
  return typeof value === 'number' ? Number.isFinite(value) : isRawNumber(value);
}

function scalarDemand(): string {
  return `must be a text of at most ${MAX_TEXT_LENGTH} characters, a number, true or false`;
}

function orderedDemand(): string {
  return `must be a text of at most ${MAX_TEXT_LENGTH} characters or a number`;
}
