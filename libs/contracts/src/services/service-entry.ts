import { formatAddress, readAddress } from '@truetally/kernel';
import { JobStep, JobStepReport } from '../jobs/job-step.js';
import {
  HandleSetAsideFact,
  ListSetAsideFacts,
  SetAsideFactList,
  SetAsideFactResource,
} from '../operations/set-aside-facts.js';
import {
  askedBy,
  type ColdOperation,
  command,
  one,
  type Operation,
  type OperationSpec,
  ownTopic,
  type Placed,
  query,
} from './operation.js';
import { QUERIES, REQUESTS, type TopicSpec } from './topic-spec.js';

/**
 * The public description of a service: topics, Kafka's access lists, health, lag, deletions and the local stack are
 * derived from it.
 */
export interface ServiceEntry {
  /** Name of the app's folder, process and consumer groups; schema and role use it with underscores. */
  readonly name: string;
  /** Clients call an edge directly; services behind it read requests from their topics. */
  readonly role: 'edge' | 'behind';
  /**
   * The service of whose image it is a second program, in a folder of its own name there. Default: it has an app and an image
   * of its own.
   */
  readonly imageOf?: string;
  /** What others ask of it, by key: `createSite` is `create-site` on the wire. */
  readonly operations: Readonly<Record<string, OperationSpec<never, unknown>>>;
  /** Published facts by key; their names carry a version. */
  readonly facts: Readonly<Record<string, TopicSpec>>;
  /** Keys of facts that it reads in consumer groups with its own name as prefix. */
  readonly follows: readonly string[];
  /** Keys of compacted facts that it holds in memory, read by each of its processes alone. */
  readonly holds: readonly string[];
  /** Keys of facts whose newest records each of its processes reads alone, and keeps for minutes. Default: none. */
  readonly watches?: readonly string[];
  /** Whether it replays dead letters to their topics. */
  readonly replaysDeadLetters?: boolean;
  /**
   * Whether it stores data of sites, and is asked to erase it when a site is deleted. Management, which asks,
   * erases its own data itself.
   */
  readonly isAskedToEraseSites: boolean;
  /**
   * By what it knows people, whom it is asked to erase: by their ids, by sessions and clicks, or not at all. Management
   * erases its own data itself.
   */
  readonly knowsPeopleBy: 'ids' | 'subjects' | 'nothing';
  /** Whether it publishes facts through an outbox; if so, it manages those that Kafka refused. */
  readonly hasOutbox: boolean;
  /** Default operations port under `npm start`. */
  readonly localOperationsPort: number;
}

/** An operation and the key of its name, `createSite`. */
export type NamedOperation = readonly [key: string, operation: Operation<never, unknown>];

/** What others ask of a service, with what the catalogue adds: steps of jobs, and facts that Kafka refused. */
export function operationsOf(service: ServiceEntry): readonly NamedOperation[] {
  const { isAskedToEraseSites, hasOutbox } = service;
  const steps = isAskedToEraseSites ? Object.entries({ runJobStep: jobStepOf(service) }) : [];
  const setAside = hasOutbox ? Object.entries(setAsideOperationsOf(service)) : [];
  return [...declaredOperationsOf(service), ...setAside, ...steps];
}

/** The operations of the service's own declaration. */
export function declaredOperationsOf({ name, operations }: ServiceEntry): readonly NamedOperation[] {
  return Object.entries(operations).map(([key, spec]) => [key, placed(name, key, spec)]);
}

/** A step of a job of management. A service without `isAskedToEraseSites` answers none. */
export function jobStepOf({ name }: Pick<ServiceEntry, 'name'>): ColdOperation<JobStep, JobStepReport> {
  return placed(name, 'runJobStep', JOB_STEP);
}

/** Listing and handling facts that Kafka refused, of a service with an outbox. */
export function setAsideOperationsOf({ name }: Pick<ServiceEntry, 'name'>): SetAsideOperations {
  return {
    listSetAsideFacts: placed(name, 'listSetAsideFacts', SET_ASIDE.listSetAsideFacts),
    handleSetAsideFact: placed(name, 'handleSetAsideFact', SET_ASIDE.handleSetAsideFact),
  };
}

export interface SetAsideOperations {
  readonly listSetAsideFacts: ColdOperation<ListSetAsideFacts, SetAsideFactList>;
  readonly handleSetAsideFact: ColdOperation<HandleSetAsideFact, SetAsideFactResource>;
}

/** The topic of a service's commands; none where it has none. */
export function commandTopicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return sharedTopicsOf(service).filter(({ name }) => name.endsWith(COMMANDS));
}

/** The topics that carry the operations of a service; none where it has none. */
export function sharedTopicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return requestTopicsOf(service).filter(({ name }) => name.endsWith(COMMANDS) || name.endsWith(QUESTIONS));
}

/** Topics on which a service receives requests: the shared ones first. */
export function requestTopicsOf(service: ServiceEntry): readonly TopicSpec[] {
  const topics = distinct(operationsOf(service).map(([, operation]) => topicOf(operation)));
  const order = (name: string): number =>
    [COMMANDS, QUESTIONS].findIndex((end) => name.endsWith(end)) + 1 || 3;
  return topics.toSorted((left, right) => order(left.name) - order(right.name));
}

/** Every topic that a service owns: requests and facts. */
export function topicsOf(service: ServiceEntry): readonly TopicSpec[] {
  return [...requestTopicsOf(service), ...Object.values(service.facts)];
}

/** The topic that carries an operation: its own, or the one that its service's other operations share. */
export function topicOf({ address, kind, partitions }: Operation<never, unknown>): TopicSpec {
  const { topic } = readAddress(address);
  return {
    name: topic,
    partitions: partitions ?? SHARED_PARTITIONS,
    config: kind === 'query' ? QUERIES : REQUESTS,
  };
}

/** As many as management has replicas at most (docs/operations/kubernetes.md): each serves some of the keys. */
const SHARED_PARTITIONS = 6;
const COMMANDS = '.commands';
const QUESTIONS = '.queries';

const JOB_STEP = askedBy(['management'], {
  runJobStep: ownTopic(
    1,
    query({ asks: JobStep, answers: one(JobStepReport, 'complete'), key: ({ job_id }) => job_id }),
  ),
}).runJobStep;

const SET_ASIDE = askedBy(['gateway'], {
  listSetAsideFacts: query({ asks: ListSetAsideFacts, answers: one(SetAsideFactList) }),
  handleSetAsideFact: command({
    asks: HandleSetAsideFact,
    answers: one(SetAsideFactResource),
    key: ({ id }) => id,
  }),
});

function placed<Spec extends OperationSpec<never, unknown>>(
  owner: string,
  key: string,
  spec: Spec,
): Placed & Spec {
  const operation = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (spec.partitions !== undefined) return { ...spec, owner, address: `${owner}.${operation}` };
  const topic = owner + (spec.kind === 'query' ? QUESTIONS : COMMANDS);
  return { ...spec, owner, address: formatAddress({ topic, operation }) };
}

function distinct(topics: readonly TopicSpec[]): readonly TopicSpec[] {
  return [...new Map(topics.map((topic) => [topic.name, topic])).values()];
}
