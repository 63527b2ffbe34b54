import type { ServiceName } from './catalogue.js';
import { JOB_STEP_TOPICS, SERVICES, TOPICS } from './catalogue.js';
import { sharedTopicsOf } from './service-entry.js';
import type { TopicSpec } from './topic-spec.js';

/** What a service does with topics besides answering its requests and publishing its facts. */
export interface ServiceAccess {
  /** Request topics of other services, or its own through its outbox. It reads replies if it asks another service. */
  readonly asks: readonly TopicSpec[];
  /** Facts that it reads in consumer groups with its own name as prefix. */
  readonly follows: readonly TopicSpec[];
  /** Compacted topics that it holds in memory, read by each of its processes alone. */
  readonly holds: readonly TopicSpec[];
  /** Whether it replays dead letters to their topics. */
  readonly replaysDeadLetters: boolean;
}

/** Topics between services, which the gateway does not use. */
const INTERNAL: readonly TopicSpec[] = [
  TOPICS.runJob,
  TOPICS.runSettlementStep,
  TOPICS.readIntegrationAccess,
  TOPICS.recordSync,
];

const ASKED_BY_CLIENTS = SERVICES.flatMap((service) => [
  ...sharedTopicsOf(service),
  ...Object.values<TopicSpec>(service.requests),
]).filter(({ name }) => !INTERNAL.some((internal) => internal.name === name));

const NOTHING: ServiceAccess = {
  asks: [],
  follows: [],
  holds: [],
  replaysDeadLetters: false,
};

/** The source of Kafka's access lists (docs/operations/kafka-security.md). */
export const ACCESS: Readonly<Record<ServiceName, ServiceAccess>> = {
  gateway: {
    ...NOTHING,
    asks: ASKED_BY_CLIENTS,
    holds: [TOPICS.sites, TOPICS.credentials, TOPICS.members, TOPICS.campaigns, TOPICS.experiments],
  },
  ingestion: { ...NOTHING, holds: [TOPICS.sitesErased] },
  management: {
    ...NOTHING,
    asks: [...JOB_STEP_TOPICS, TOPICS.runJob, TOPICS.runSettlementStep],
    follows: [TOPICS.auditRecorded],
    // To find what a restore of Kafka or Postgres has changed.
    holds: [TOPICS.sites, TOPICS.sitesErased, TOPICS.credentials, TOPICS.members, TOPICS.campaigns],
    replaysDeadLetters: true,
  },
  'attribution-ledger': {
    ...NOTHING,
    follows: [TOPICS.sites, TOPICS.touchesRecorded, TOPICS.conversionsRecorded],
    holds: [TOPICS.sitesErased],
  },
  experiments: {
    ...NOTHING,
    follows: [
      TOPICS.sites,
      TOPICS.campaigns,
      TOPICS.touchesRecorded,
      TOPICS.conversionsRecorded,
      TOPICS.sessionsAssigned,
    ],
    holds: [TOPICS.experiments, TOPICS.sitesErased],
  },
  'publisher-analytics': {
    ...NOTHING,
    asks: [TOPICS.readIntegrationAccess, TOPICS.recordSync],
    follows: [TOPICS.clicksStored],
    holds: [TOPICS.sites, TOPICS.sitesErased],
  },
};
