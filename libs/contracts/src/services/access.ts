import type { ServiceName } from './catalogue.js';
import { JOB_STEP_TOPICS, SERVICES, TOPICS } from './catalogue.js';
import { setAsideTopicsOf } from './service-entry.js';
import type { TopicSpec } from './topic-spec.js';

/** What a service does with topics beside answering its requests and telling its facts. */
export interface ServiceAccess {
  /** Of others, or its own through its outbox. It reads replies when it asks anybody else. */
  readonly asks: readonly TopicSpec[];
  /** Facts that it reads, each for ever in groups of its own name. */
  readonly follows: readonly TopicSpec[];
  /** Compacted topics that it holds in memory, read by each of its processes alone. */
  readonly holds: readonly TopicSpec[];
  /** Whether it puts dead letters back on the topics that they came from. */
  readonly replaysDeadLetters: boolean;
}

/** Between services: the gateway asks none of them. */
const INTERNAL: readonly TopicSpec[] = [
  TOPICS.runJob,
  TOPICS.runSettlementStep,
  TOPICS.readIntegrationAccess,
  TOPICS.recordSync,
];

const ASKED_BY_CLIENTS = SERVICES.flatMap((service) => [
  ...Object.values<TopicSpec>(service.requests),
  ...Object.values(setAsideTopicsOf(service) ?? {}),
]).filter(({ name }) => !INTERNAL.some((internal) => internal.name === name));

const NOTHING: ServiceAccess = {
  asks: [],
  follows: [],
  holds: [],
  replaysDeadLetters: false,
};

/** From which the access lists of Kafka follow (docs/operations/kafka-security.md). */
export const ACCESS: Readonly<Record<ServiceName, ServiceAccess>> = {
  gateway: {
    ...NOTHING,
    asks: ASKED_BY_CLIENTS,
    holds: [TOPICS.sites, TOPICS.credentials, TOPICS.members, TOPICS.campaigns, TOPICS.experiments],
  },
  ingestion: NOTHING,
  management: {
    ...NOTHING,
    asks: [...JOB_STEP_TOPICS, TOPICS.runJob, TOPICS.runSettlementStep],
    follows: [TOPICS.auditRecorded],
    // To see what they lack, after a restore of Kafka.
    holds: [TOPICS.sites, TOPICS.credentials, TOPICS.members, TOPICS.campaigns],
    replaysDeadLetters: true,
  },
  'attribution-ledger': {
    ...NOTHING,
    follows: [TOPICS.sites, TOPICS.touchesRecorded, TOPICS.conversionsRecorded],
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
  },
  'publisher-analytics': {
    ...NOTHING,
    asks: [TOPICS.readIntegrationAccess, TOPICS.recordSync],
    follows: [TOPICS.clicksStored],
    holds: [TOPICS.sites],
  },
};
