import type { BodyBudget } from '../http/body-budget.js';
import type { BodyRules } from '../http/read-body.js';

/** Interface page, section 1: 1 MiB but on routes that say otherwise. */
const BODY_LIMIT_BYTES = 1024 * 1024;
const BODY_TIMEOUT_MS = 15_000;
/** Of all bodies that are arriving at the same time. */
export const BODY_BUDGET_BYTES = 96 * 1024 * 1024;

export function bodyRulesOf(budget: BodyBudget, limitBytes = BODY_LIMIT_BYTES): BodyRules {
  return { limitBytes, timeoutMs: BODY_TIMEOUT_MS, budget };
}
