import { QUERIES, REQUESTS, type TopicSpec } from './topic-spec.js';

/**
 * The public description of a service: topics, health, lag, deletions and the local stack are derived from
 * it.
 */
export interface ServiceEntry {
  /** Name of the app's folder, process and consumer groups; schema and role use it with underscores. */
  readonly name: string;
  /** Clients call an edge directly; services behind it read requests from their topics. */
  readonly role: 'edge' | 'behind';
  /** Request topics by key; their names start with the service's. */
  readonly requests: Readonly<Record<string, TopicSpec>>;
  /** Published facts by key; their names carry a version. */
  readonly facts: Readonly<Record<string, TopicSpec>>;
  /**
   * Whether it stores data of sites, and is asked to erase it when a site is deleted. Management, which asks,
   * erases its own data itself.
   */
  readonly isAskedToEraseSites: boolean;
  /** Whether it publishes facts through an outbox; if so, it manages those that Kafka refused. */
  readonly hasOutbox: boolean;
  /** Default operations port under `npm start`. */
  readonly localOperationsPort: number;
}

/** The topic for job steps; none for a service without steps. */
export function jobStepTopicsOf({ name, isAskedToEraseSites }: ServiceEntry): readonly TopicSpec[] {
  return isAskedToEraseSites ? [{ name: `${name}.run-job-step`, partitions: 1, config: QUERIES }] : [];
}

/** Topics for listing and handling facts that Kafka refused. */
export interface SetAsideTopics {
  readonly list: TopicSpec;
  readonly handle: TopicSpec;
}

/** Undefined for a service without an outbox. */
export function setAsideTopicsOf({ name, hasOutbox }: ServiceEntry): SetAsideTopics | undefined {
  if (!hasOutbox) return undefined;
  return {
    list: { name: `${name}.list-set-aside-facts`, partitions: 1, config: QUERIES },
    handle: { name: `${name}.handle-set-aside-fact`, partitions: 1, config: REQUESTS },
  };
}

/** Every topic that a service owns: requests, job steps, set-aside facts, and facts. */
export function topicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return [
    ...Object.values(service.requests),
    ...jobStepTopicsOf(service),
    ...Object.values(setAsideTopicsOf(service) ?? {}),
    ...Object.values(service.facts),
  ];
}
