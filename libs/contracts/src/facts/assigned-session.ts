import { recordCodec } from './record-codec.js';

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

/** Writes and reads the value of `sessions.assigned.v1`. */
export const ASSIGNED_SESSION_FACT = recordCodec((reader): AssignedSessionFact => ({
  assignment_id: reader.text('assignment_id'),
  experiment_id: reader.text('experiment_id'),
  site_id: reader.text('site_id'),
  session_id: reader.text('session_id'),
  variant: reader.oneOf('variant', VARIANTS) ?? 'control',
  campaign_ids: reader.texts('campaign_ids'),
  provider: reader.text('provider'),
  device: reader.oneOf('device', DEVICES) ?? 'unknown',
  assigned_at: reader.instant('assigned_at'),
}));
