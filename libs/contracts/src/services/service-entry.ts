import { formatAddress } from '@truetally/kernel';
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
  /**
   * What the gateway asks of `<name>.commands`, by name: operations that change something. Those of one key are
   * executed in sequence.
   */
  readonly commands: readonly string[];
  /** What the gateway asks of `<name>.queries`, by name: operations that change nothing. */
  readonly queries: readonly string[];
  /**
   * Requests with topics of their own, by key: hot ones, slow ones, and those that others than the gateway ask;
   * their names start with the service's.
   */
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

/** As many as management has replicas at most (docs/operations/kubernetes.md): each serves some of the keys. */
const SHARED_PARTITIONS = 6;

/** The topic of a service's commands; none where it has none. */
export function commandTopicsOf({ name, commands, hasOutbox }: ServiceEntry): readonly TopicSpec[] {
  if (commands.length === 0 && !hasOutbox) return [];
  return [{ name: `${name}.commands`, partitions: SHARED_PARTITIONS, config: REQUESTS }];
}

/** The topics that carry the operations of a service; none where it has none. */
export function sharedTopicsOf(service: ServiceEntry): readonly TopicSpec[] {
  const { name, queries, hasOutbox } = service;
  const commandTopics = commandTopicsOf(service);
  if (queries.length === 0 && !hasOutbox) return commandTopics;
  return [...commandTopics, { name: `${name}.queries`, partitions: SHARED_PARTITIONS, config: QUERIES }];
}

/** Addresses for listing and handling facts that Kafka refused. */
export interface SetAsideOperations {
  readonly list: string;
  readonly handle: string;
}

/** Undefined for a service without an outbox. */
export function setAsideOperationsOf({ name, hasOutbox }: ServiceEntry): SetAsideOperations | undefined {
  if (!hasOutbox) return undefined;
  return {
    list: formatAddress({ topic: `${name}.queries`, operation: 'list-set-aside-facts' }),
    handle: formatAddress({ topic: `${name}.commands`, operation: 'handle-set-aside-fact' }),
  };
}

/** Topics on which a service receives requests. */
export function requestTopicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return [...sharedTopicsOf(service), ...Object.values(service.requests), ...jobStepTopicsOf(service)];
}

/** Every topic that a service owns: requests and facts. */
export function topicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return [...requestTopicsOf(service), ...Object.values(service.facts)];
}
