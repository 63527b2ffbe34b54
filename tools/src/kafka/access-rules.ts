import {
  accessOf,
  commandTopicsOf,
  requestTopicsOf,
  SERVICES,
  type ServiceEntry,
  type ServiceName,
  topicsOf,
} from '@truetally/contracts/services';
import { TOPICS, type TopicSpec } from '@truetally/contracts/topics';
import { type AccessOperation, type AccessRule, DEAD_LETTERS, REPLIES_PREFIX } from '@truetally/messaging';

export interface AccessNames {
  /** `KAFKA_TOPIC_PREFIX`. */
  readonly topicPrefix: string;
  /** Prefix of the user's name, before the service's name. */
  readonly userPrefix: string;
  /** Prefix of `DATABASE_SCHEMA`, before the service's own name. */
  readonly schemaPrefix: string;
}

export const USUAL_NAMES: AccessNames = { topicPrefix: '', userPrefix: 'truetally-', schemaPrefix: '' };

type Rule = Omit<AccessRule, 'user'>;

/** The user of KEDA, for example: it reads the lag of consumers and nothing else. */
const SCALER = 'scaler';

/** Everything that each service does with Kafka according to the catalogue: the exact permissions of its user. */
export function accessRules(names: AccessNames): readonly AccessRule[] {
  const users = [
    ...SERVICES.map((service) => [service.name, rulesOf(service, names.schemaPrefix)] as const),
    [SCALER, LOOKING] as const,
  ];
  return users.flatMap(([user, rules]) =>
    distinct(rules).map((rule) => ({
      ...rule,
      user: names.userPrefix + user,
      name: names.topicPrefix + rule.name,
    })),
  );
}

type Entry = ServiceEntry & { readonly name: ServiceName };

function rulesOf(service: Entry, schemaPrefix: string): readonly Rule[] {
  const { name } = service;
  const access = accessOf(service);
  const asked = requestTopicsOf(service);
  const asksOthers = access.asks.some(({ name: topic }) => !topic.startsWith(`${name}.`));
  const outbox = `outbox.${schemaPrefix}${name.replaceAll('-', '_')}`;
  return [
    ...onTopics(topicsOf(service), 'Create', 'DescribeConfigs', 'AlterConfigs'),
    ...onTopics(asked, 'Read'),
    // A command that it does not know yet goes back to where it came from.
    ...onTopics(commandTopicsOf(service), 'Write'),
    ...onTopics(Object.values(service.facts), 'Write'),
    ...onTopics(access.asks, 'Write', 'DescribeConfigs'),
    ...onTopics([...access.follows, ...access.holds, ...access.watches], 'Read', 'DescribeConfigs'),
    ...onTopics([DEAD_LETTERS], 'Write', 'DescribeConfigs'),
    // Each service creates this topic, even if it publishes nothing.
    ...(service.role === 'behind' ? onTopics([TOPICS.auditRecorded], 'Describe', 'DescribeConfigs') : []),
    rule('group', name, 'Read'),
    rule('group', `${name}.`, 'Read', true),
    ...tablesOf(service).map((topic) => rule('group', `table.${topic}.`, 'Read', true)),
    ...access.watches.map((topic) => rule('group', `tail.${topic.name}.`, 'Read', true)),
    ...(asked.length === 0 ? [] : [rule('topic', REPLIES_PREFIX, 'Write', true)]),
    ...(asksOthers ? repliesOf(name) : []),
    ...(service.hasOutbox ? outboxOf(outbox) : []),
    ...(service.replaysDeadLetters === true ? REPLAYING : []),
    ...(service.role === 'edge' ? LOOKING : []),
  ];
}

/** Topics in the names of its tables' groups. One reader has all tables of the gateway, named by the first of them. */
function tablesOf(service: Entry): readonly string[] {
  const names = accessOf(service).holds.map(({ name }) => name);
  return service.role === 'edge' ? names.toSorted().slice(0, 1) : names;
}

/**
 * Reply topics begin with the service's name, like `INSTANCE_ID`. It also deletes those of dead processes of
 * any service.
 */
function repliesOf(service: string): readonly Rule[] {
  const own = REPLIES_PREFIX + service;
  const operations = ['Create', 'Read', 'DescribeConfigs', 'AlterConfigs'] as const;
  return [
    ...operations.map((operation) => rule('topic', own, operation, true)),
    rule('topic', REPLIES_PREFIX, 'Delete', true),
    rule('group', own, 'Read', true),
    rule('group', REPLIES_PREFIX, 'Describe', true),
  ];
}

/** Facts that every service publishes, and the transactional id of its outbox. */
function outboxOf(transactionalId: string): readonly Rule[] {
  return [
    ...onTopics([TOPICS.auditRecorded], 'Write', 'DescribeConfigs'),
    rule('transactionalId', transactionalId, 'Write'),
    rule('transactionalId', transactionalId, 'Describe'),
  ];
}

const EVERY_TOPIC: readonly TopicSpec[] = SERVICES.flatMap(topicsOf);

/** A dead letter is replayed to its topic, which may be any topic that is not compacted. */
const REPLAYING: readonly Rule[] = [
  ...onTopics([DEAD_LETTERS], 'Create', 'Read', 'AlterConfigs'),
  ...onTopics(
    EVERY_TOPIC.filter(({ config }) => config?.['cleanup.policy'] !== 'compact'),
    'Read',
    'Write',
    'DescribeConfigs',
  ),
  rule('group', 'record.', 'Read', true),
];

/** Topics and groups that the operators' routes report. */
const LOOKING: readonly Rule[] = [
  ...onTopics([...EVERY_TOPIC, DEAD_LETTERS], 'Describe', 'DescribeConfigs'),
  ...SERVICES.flatMap(({ name }) => [
    rule('group', name, 'Describe'),
    rule('group', `${name}.`, 'Describe', true),
  ]),
];

function onTopics(
  topics: readonly Pick<TopicSpec, 'name'>[],
  ...operations: readonly AccessOperation[]
): readonly Rule[] {
  return topics.flatMap(({ name }) => operations.map((operation) => rule('topic', name, operation)));
}

function rule(resource: Rule['resource'], name: string, operation: AccessOperation, isPrefix = false): Rule {
  return { resource, name, isPrefix, operation };
}

function distinct(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((each) => [JSON.stringify(each), each])).values()];
}
