import {
  type FieldErrors,
  fail,
  parseInstant,
  type Result,
  succeed,
  UUID_IN_ANY_CASE,
} from '@truetally/kernel';
import { Flag, Matching, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { isJsonObject } from '../validation/shape.js';

/**
 * The query of `/api/admin/reconciliation`: whole hours from `fromMs` (inclusive) to `toMs` (exclusive), of
 * one site or of all.
 */
export interface ReconcileEvents {
  readonly siteId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** `next_cursor` of the page before. */
  readonly cursor: string | null;
  readonly limit: number;
}

/** One site's hour: the counters compared with the table. */
export class ReconciledHour {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  /** Start of the hour of storage, ISO 8601 UTC. */
  @Timestamp() readonly hour!: string;
  @WholeNumber(COUNT) readonly received!: number;
  @WholeNumber(COUNT) readonly stored!: number;
  @WholeNumber(COUNT) readonly deduplicated!: number;
  @WholeNumber(COUNT) readonly failed!: number;
  /** Events counted in the table itself. */
  @WholeNumber(COUNT) readonly rows!: number;
  /** received = stored + deduplicated + failed, and stored = rows. */
  @Flag() readonly balanced!: boolean;
}

/** A page of hours; `next_cursor` is null on the last page. */
export interface ReconciliationPage {
  readonly items: readonly ReconciledHour[];
  readonly next_cursor: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CURSOR_CHARACTERS = 200;

/** Reads `{ site_id?, from?, to?, cursor?, limit? }`; reports every broken rule. */
export function readReconcileEvents(body: unknown): Result<ReconcileEvents, FieldErrors> {
  if (!isJsonObject(body)) return fail({ body: ['must be an object'] });
  const { site_id, from, to, cursor, limit } = body;
  const errors: Record<string, string[]> = {};
  const fromMs = instantOf(from);
  const toMs = instantOf(to);
  const count = limit ?? DEFAULT_LIMIT;
  if (!isAbsent(site_id) && !(typeof site_id === 'string' && UUID_IN_ANY_CASE.test(site_id))) {
    errors['site_id'] = ['must be a UUID'];
  }
  if (fromMs === undefined) errors['from'] = ['must be an ISO 8601 time with an offset'];
  if (toMs === undefined) errors['to'] = ['must be an ISO 8601 time with an offset'];
  if (!isAbsent(cursor) && !(typeof cursor === 'string' && cursor.length <= MAX_CURSOR_CHARACTERS)) {
    errors['cursor'] = ['must be the next_cursor of a page'];
  }
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_LIMIT) {
    errors['limit'] = [`must be a whole number from 1 to ${MAX_LIMIT}`];
  }
  if (Object.keys(errors).length > 0 || fromMs === undefined || toMs === undefined) return fail(errors);
  return succeed({
    siteId: typeof site_id === 'string' ? site_id.toLowerCase() : null,
    fromMs,
    toMs,
    cursor: typeof cursor === 'string' ? cursor : null,
    limit: Number(count),
  });
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function instantOf(value: unknown): number | null | undefined {
  if (isAbsent(value)) return null;
  return typeof value === 'string' ? parseInstant(value)?.epochMs : undefined;
}
