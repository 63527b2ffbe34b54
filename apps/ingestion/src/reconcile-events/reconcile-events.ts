import type { ReconciledHour, ReconcileEvents } from '@truetally/contracts/operations';
import type { Page } from '@truetally/contracts/resource';
import { failure, formatInstant, parseInstant, type Reply, UUID } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import { isTransient } from '@truetally/persistence';
import {
  type HourCounts,
  type HourPosition,
  type ReconciliationStore,
} from '../storage/reconciliation.store.js';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
/** Rows are counted individually: a query over months would slow down the database. */
const MAX_HOURS = 31 * 24;

/** Compares the counters with the table, hour by hour (interface page, section 4: conservation). */
export const reconcileEvents =
  (store: ReconciliationStore, nowMs: () => number) =>
  async (query: ReconcileEvents): Promise<Reply<Page<ReconciledHour>>> => {
    const { site_id: siteId, limit } = query;
    const after = readCursor(query.cursor);
    if (after === undefined) return invalid('cursor', 'must be the next_cursor of a page');
    const toMs = Math.ceil((epochMsOf(query.to) ?? nowMs()) / HOUR_MS) * HOUR_MS;
    const fromMs = Math.floor((epochMsOf(query.from) ?? toMs - DEFAULT_HOURS * HOUR_MS) / HOUR_MS) * HOUR_MS;
    if (fromMs > toMs) return invalid('from', 'must not be after to');
    if (toMs - fromMs > MAX_HOURS * HOUR_MS)
      return invalid('from', `must be at most ${MAX_HOURS} hours before to`);
    try {
      const hours = await store.page({ siteId, fromMs, toMs, after, limit: limit + 1 });
      const last = hours[limit - 1];
      return {
        ok: {
          items: hours.slice(0, limit).map(present),
          next_cursor: hours.length > limit && last !== undefined ? writeCursor(last) : null,
        },
      };
    } catch (error) {
      if (isTransient(error))
        throw new TransientError('The table cannot be read at the moment.', { cause: error });
      throw error;
    }
  };

function epochMsOf(instant: string | null): number | undefined {
  return instant === null ? undefined : parseInstant(instant)?.epochMs;
}

function invalid(field: string, message: string): Reply<never> {
  return failure('VALIDATION_ERROR', 'The query is not valid.', { [field]: [message] });
}

function present(hour: HourCounts): ReconciledHour {
  const { received, stored, deduplicated, failed, erased, rows } = hour;
  return {
    site_id: hour.siteId,
    hour: formatInstant(hour.hourMs),
    received,
    stored,
    deduplicated,
    failed,
    erased,
    rows,
    balanced: received === stored + deduplicated + failed && stored === rows + erased,
  };
}

const CURSOR = /^(\d{1,15})\/(.*)$/;

function writeCursor({ hourMs, siteId }: HourPosition): string {
  return Buffer.from(`${hourMs}/${siteId}`).toString('base64url');
}

/** Null is the first page; undefined an invalid cursor. */
function readCursor(cursor: string | null): HourPosition | null | undefined {
  if (cursor === null) return null;
  const [, hourMs, siteId] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (hourMs === undefined || siteId === undefined || !UUID.test(siteId)) return undefined;
  return { hourMs: Number(hourMs), siteId };
}
