import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from './record-reader.js';

const VARIANTS = ['control', 'treatment'] as const;
const DEVICES = ['desktop', 'mobile', 'tablet', 'unknown'] as const;

/** The value of `sessions.assigned.v1`: one per assignment, which never changes. */
export interface AssignedSessionFact {
  readonly assignment_id: string;
  readonly experiment_id: string;
  readonly site_id: string;
  readonly session_id: string;
  readonly variant: (typeof VARIANTS)[number];
  readonly campaign_ids: readonly string[];
  /** Provider of the first touch that made the session eligible. */
  readonly provider: string;
  readonly device: (typeof DEVICES)[number];
  /** ISO 8601 UTC with milliseconds. */
  readonly assigned_at: string;
}

/** Reads a value of `sessions.assigned.v1`; never throws. The error names the fields. */
export function parseAssignedSession(text: string): Result<AssignedSessionFact, string> {
  const reader = RecordReader.of(text);
  if (reader === undefined) return fail('not a JSON object');
  const fact: AssignedSessionFact = {
    assignment_id: reader.text('assignment_id'),
    experiment_id: reader.text('experiment_id'),
    site_id: reader.text('site_id'),
    session_id: reader.text('session_id'),
    variant: reader.oneOf('variant', VARIANTS) ?? 'control',
    campaign_ids: reader.texts('campaign_ids'),
    provider: reader.text('provider'),
    device: reader.oneOf('device', DEVICES) ?? 'unknown',
    assigned_at: reader.instant('assigned_at'),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(fact) : fail(`unreadable: ${faults.join(', ')}`);
}
