import { SERVICES, TOPICS } from './catalogue.js';
import { operationsOf, requestTopicsOf, type ServiceEntry, topicOf } from './service-entry.js';
import type { TopicSpec } from './topic-spec.js';

/** What a service does with topics besides answering its requests and publishing its facts. */
export interface ServiceAccess {
  /** Topics of the operations that name it as an asker, its own through its outbox among them. */
  readonly asks: readonly TopicSpec[];
  /** Facts that it reads in consumer groups with its own name as prefix. */
  readonly follows: readonly TopicSpec[];
  /** Compacted topics that it holds in memory, read by each of its processes alone. */
  readonly holds: readonly TopicSpec[];
  /** Topics whose newest records each of its processes reads alone. */
  readonly watches: readonly TopicSpec[];
}

/** The source of Kafka's access lists (docs/operations/kafka-security.md), from the catalogue and nothing else. */
export function accessOf(
  { name, follows, holds, watches = [] }: ServiceEntry,
  services: readonly ServiceEntry[] = SERVICES,
): ServiceAccess {
  const operations = services.flatMap(operationsOf).map(([, operation]) => operation);
  const asked = operations.filter(({ askedBy }) => askedBy.includes(name)).map((one) => topicOf(one).name);
  return {
    asks: services.flatMap(requestTopicsOf).filter((topic) => asked.includes(topic.name)),
    follows: follows.map(factOf),
    holds: holds.map(factOf),
    watches: watches.map(factOf),
  };
}

/** Topics of other services that must exist before this one starts: those that it reads or asks. */
export function topicsUsedBy(service: ServiceEntry): readonly TopicSpec[] {
  const { asks, follows, holds, watches } = accessOf(service);
  return [...asks, ...follows, ...holds, ...watches];
}

function factOf(key: string): TopicSpec {
  const facts: Readonly<Record<string, TopicSpec>> = TOPICS;
  const topic = facts[key];
  if (topic === undefined) throw new Error(`The catalogue has no facts with the key ${key}.`);
  return topic;
}
