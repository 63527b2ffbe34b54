import { accessOf } from './access.js';
import { SERVICES, TOPICS } from './catalogue.js';
import type { TopicSpec } from './topic-spec.js';

/**
 * Topics that are read again after Postgres was restored to an earlier point (docs/operations/restore.md): what clients were told
 * is stored, and the facts that services follow. Their readers recognise what they have stored. Not the others: queries and steps
 * of jobs change nothing by themselves, and a command may be what the restore has to undo. Assignments of sessions come back from
 * their facts, with their times.
 */
export const REPEATED_TOPICS: readonly TopicSpec[] = [
  TOPICS.trackEvent,
  TOPICS.recordTouches,
  TOPICS.recordConversion,
  TOPICS.recordReferences,
  ...new Set(SERVICES.flatMap((service) => accessOf(service).follows)),
];
