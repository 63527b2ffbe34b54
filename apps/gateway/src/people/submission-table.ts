import type { SubmissionResource } from '@truetally/contracts/management';
import { csvRow } from '@truetally/contracts/tables';

const COLUMNS = ['id', 'created_at', 'campaign_id', 'session_id', 'consent_text', 'consent_at'] as const;
/** For fields beyond those that have columns. */
const OTHERS = 'other_fields';

export function submissionHeader(fields: readonly string[]): string {
  return csvRow([...COLUMNS, ...fields.map((name) => `fields.${name}`), OTHERS]);
}

/** One row per submission, one column per field. */
export function submissionRow(
  { id, created_at, campaign_id, session_id, consent, fields }: SubmissionResource,
  columns: readonly string[],
): string {
  const named = new Set(columns);
  const others = Object.entries(fields).filter(([name]) => !named.has(name));
  return csvRow([
    ...[id, created_at, campaign_id, session_id, consent.text, consent.at],
    ...columns.map((name) => (Object.hasOwn(fields, name) ? fields[name] : null)),
    others.length === 0 ? null : Object.fromEntries(others),
  ]);
}
