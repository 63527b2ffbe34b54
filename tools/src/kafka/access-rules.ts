import {
  ACCESS,
  jobStepTopicsOf,
  SERVICES,
  setAsideTopicsOf,
  type ServiceEntry,
  type ServiceName,
  topicsOf,
} from '@truetally/contracts/services';
import { TOPICS, type TopicSpec } from '@truetally/contracts/topics';
import { type AccessOperation, type AccessRule, DEAD_LETTERS, REPLIES_PREFIX } from '@truetally/messaging';

export interface AccessNames {
  /** `KAFKA_TOPIC_PREFIX`. */
  readonly topicPrefix: string;
  /** Before the service's name: its user. */
  readonly userPrefix: string;
  /** What `DATABASE_SCHEMA` has before the service's own. */
  readonly schemaPrefix: string;
}

export const USUAL_NAMES: AccessNames = { topicPrefix: '', userPrefix: 'truetally-', schemaPrefix: '' };

type Rule = Omit<AccessRule, 'user'>;

/** Of KEDA, say: it looks at how far consumers are behind, and does nothing else. */
const SCALER = 'scaler';

/** All that each service does with Kafka, as the catalogue says it: what Kafka must let its user do, and nothing else. */
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
  const access = ACCESS[name];
  const asked = [
    ...Object.values(service.requests),
    ...jobStepTopicsOf(service),
    ...Object.values(setAsideTopicsOf(service) ?? {}),
  ];
  const asksOthers = access.asks.some(({ name: topic }) => !topic.startsWith(`${name}.`));
  const outbox = `outbox.${schemaPrefix}${name.replaceAll('-', '_')}`;
  return [
    ...onTopics(topicsOf(service), 'Create', 'DescribeConfigs', 'AlterConfigs'),
    ...onTopics(asked, 'Read'),
    ...onTopics(Object.values(service.facts), 'Write'),
    ...onTopics(access.asks, 'Write', 'DescribeConfigs'),
    ...onTopics([...access.follows, ...access.holds], 'Read', 'DescribeConfigs'),
    ...onTopics([DEAD_LETTERS], 'Write', 'DescribeConfigs'),
    // Each makes sure that it is there, whether or not it tells anything.
    ...(service.role === 'behind' ? onTopics([TOPICS.auditRecorded], 'Describe', 'DescribeConfigs') : []),
    rule('group', name, 'Read'),
    rule('group', `${name}.`, 'Read', true),
    ...access.holds.map((topic) => rule('group', `table.${topic.name}.`, 'Read', true)),
    ...(asked.length === 0 ? [] : [rule('topic', REPLIES_PREFIX, 'Write', true)]),
    ...(asksOthers ? repliesOf(name) : []),
    ...(service.hasOutbox ? outboxOf(outbox) : []),
    ...(access.replaysDeadLetters ? REPLAYING : []),
    ...(service.role === 'edge' ? LOOKING : []),
  ];
}

/** Its processes' topics begin with its name, as `INSTANCE_ID` does. Those of dead processes it removes, whosever they were. */
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

/** What everybody tells, and what Kafka needs to know of the one who speaks under the outbox' name. */
function outboxOf(transactionalId: string): readonly Rule[] {
  return [
    ...onTopics([TOPICS.auditRecorded], 'Write', 'DescribeConfigs'),
    rule('transactionalId', transactionalId, 'Write'),
    rule('transactionalId', transactionalId, 'Describe'),
  ];
}

const EVERY_TOPIC: readonly TopicSpec[] = SERVICES.flatMap(topicsOf);

/** A dead letter goes back to where it came from, which may be any topic but a compacted one. */
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

/** What the operators' routes tell of topics and groups. */
const LOOKING: readonly Rule[] = [
  ...onTopics([...EVERY_TOPIC, DEAD_LETTERS], 'Describe', 'DescribeConfigs'),
  ...SERVICES.flatMap(({ name }) => [
    rule('group', name, 'Describe'),
    rule('group', `${name}.`, 'Describe', true),
  ]),
];

function onTopics(topics: readonly TopicSpec[], ...operations: readonly AccessOperation[]): readonly Rule[] {
  return topics.flatMap(({ name }) => operations.map((operation) => rule('topic', name, operation)));
}

function rule(resource: Rule['resource'], name: string, operation: AccessOperation, isPrefix = false): Rule {
  return { resource, name, isPrefix, operation };
}

function distinct(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((each) => [JSON.stringify(each), each])).values()];
}
