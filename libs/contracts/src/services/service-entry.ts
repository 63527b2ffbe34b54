import { QUERIES, REQUESTS, type TopicSpec } from './topic-spec.js';

/** What everybody else knows of a service: topics, health, lag, deletions and the local stack follow from it. */
export interface ServiceEntry {
  /** Of its app's folder, its process and its consumer groups; its schema and role have it with underscores. */
  readonly name: string;
  /** Clients reach an edge themselves; the others serve what edges and each other put on their topics. */
  readonly role: 'edge' | 'behind';
  /** What it is asked, by what the message is for; the names begin with the service's. */
  readonly requests: Readonly<Record<string, TopicSpec>>;
  /** What it tells everybody, by what is told; the names carry a version. */
  readonly facts: Readonly<Record<string, TopicSpec>>;
  /**
   * Whether it keeps what belongs to sites, and is asked to erase it when one is deleted. Management, which asks, erases
   * its own by itself.
   */
  readonly isAskedToEraseSites: boolean;
  /** Whether its facts leave by an outbox: then it is asked for those that Kafka refuses. */
  readonly hasOutbox: boolean;
  /** Where `npm start` puts its operations port when nothing else is said. */
  readonly localOperationsPort: number;
}

/** Where a service is asked for a step of a job; there is none for whoever is never asked. */
export function jobStepTopicsOf({ name, isAskedToEraseSites }: ServiceEntry): readonly TopicSpec[] {
  return isAskedToEraseSites ? [{ name: `${name}.run-job-step`, partitions: 1, config: QUERIES }] : [];
}

/** Where a service is asked for the facts that Kafka refused, and told what becomes of them. */
export interface SetAsideTopics {
  readonly list: TopicSpec;
  readonly handle: TopicSpec;
}

/** Undefined for whoever has no outbox. */
export function setAsideTopicsOf({ name, hasOutbox }: ServiceEntry): SetAsideTopics | undefined {
  if (!hasOutbox) return undefined;
  return {
    list: { name: `${name}.list-set-aside-facts`, partitions: 1, config: QUERIES },
    handle: { name: `${name}.handle-set-aside-fact`, partitions: 1, config: REQUESTS },
  };
}

/** Every topic that a service owns: of requests, of steps of jobs, of facts that were set aside, and of facts. */
export function topicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return [
    ...Object.values(service.requests),
    ...jobStepTopicsOf(service),
    ...Object.values(setAsideTopicsOf(service) ?? {}),
    ...Object.values(service.facts),
  ];
}
