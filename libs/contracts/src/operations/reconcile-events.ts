import { Flag, Matching, OrNull, Text, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';

const HOURS = { min: 1, max: 200 };
const CURSOR = { max: 512 };

/** The query of `/api/admin/reconciliation`: whole hours from `from` (inclusive) to `to` (exclusive). */
export class ReconcileEvents {
  /** Null for every site. */
  @OrNull() @Matching(UUID, UUID_FORM) readonly site_id!: string | null;
  @OrNull() @Timestamp() readonly from!: string | null;
  @OrNull() @Timestamp() readonly to!: string | null;
  /** `next_cursor` of the page before. */
  @OrNull() @Text(CURSOR) readonly cursor!: string | null;
  @WholeNumber(HOURS) readonly limit!: number;
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
  /** Of the stored ones, those that erasures of people have removed. */
  @WholeNumber(COUNT) readonly erased!: number;
  /** Events counted in the table itself. */
  @WholeNumber(COUNT) readonly rows!: number;
  /** received = stored + deduplicated + failed, and stored = rows + erased. */
  @Flag() readonly balanced!: boolean;
}
