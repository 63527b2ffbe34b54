import { formatInstant, parseInstant } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';

/** The type of the job that sends deliveries of a range again. */
export const WORKFLOWS_REPLAY = 'workflows.replay';
/** Its only step. */
export const REPLAY_DELIVERIES = 'replay-deliveries';
/** More are refused (interface page, section 10). */
export const MAX_REPLAYED_DELIVERIES = 100_000;

/** Statuses of deliveries that a range may replay. */
export const REPLAYED_STATUSES = ['dead', 'delivered'] as const;
/** One of `REPLAYED_STATUSES`. */
export type ReplayedStatus = (typeof REPLAYED_STATUSES)[number];

/** The deliveries of a range, by `created_at`: `from` ≤ t < `to`, ISO 8601 UTC with milliseconds. */
export interface ReplayRange {
  readonly from: string;
  readonly to: string;
  readonly statuses: readonly ReplayedStatus[];
}

/** The body of `begin-workflow-replay`. */
export interface PlannedReplay extends ReplayRange {
  /** How many deliveries there were in the range. */
  readonly matched: number;
}

/** The body of `begin-workflow-replay`, on the wire. */
export const PLANNED_REPLAY = recordCodec((reader): PlannedReplay => ({
  from: reader.instant('from'),
  to: reader.instant('to'),
  statuses: reader.list('statuses', (item) => REPLAYED_STATUSES.find((status) => status === item)),
  matched: reader.integer('matched'),
}));

/** The range in a job's params; undefined for params that no command writes. */
export function replayRangeIn(params: Readonly<Record<string, string>>): ReplayRange | undefined {
  const { from, to, statuses } = params;
  if (from === undefined || to === undefined || statuses === undefined) return undefined;
  const [first, last] = [parseInstant(from), parseInstant(to)];
  if (first === undefined || last === undefined) return undefined;
  const known = statuses.split(',');
  return {
    from: formatInstant(first.epochMs),
    to: formatInstant(last.epochMs),
    statuses: REPLAYED_STATUSES.filter((status) => known.includes(status)),
  };
}
