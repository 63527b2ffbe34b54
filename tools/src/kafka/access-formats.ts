import type { AccessOperation, AccessRule } from '@truetally/messaging';

/** Of Strimzi, as `k8s/chart/kafka-users.yaml` has it. */
const OPERATOR_HEADER = `# What each service may do with Kafka, for Strimzi's user operator: made by \`npm run -s kafka:access -- --format strimzi\`.
`;

/** A resource and all allowed operations on it. */
interface Grant {
  readonly user: string;
  readonly resource: AccessRule['resource'];
  readonly name: string;
  readonly isPrefix: boolean;
  readonly operations: readonly AccessOperation[];
}

export const FORMATS = { table: asTable, commands: asCommands, strimzi: asStrimziUsers } as const;

/** For readers: a section for each user. */
function asTable(rules: readonly AccessRule[]): string {
  return byUser(rules)
    .map(([user, grants]) => {
      const lines = grants.map(({ resource, name, isPrefix, operations }) => {
        return `| ${resource} | \`${name}${isPrefix ? '*' : ''}\` | ${operations.join(', ')} |`;
      });
      return [`### \`${user}\``, '', '| what | name | may |', '| --- | --- | --- |', ...lines, ''].join('\n');
    })
    .join('\n');
}

/** For Kafka's own tool, `kafka-acls.sh`. */
function asCommands(rules: readonly AccessRule[]): string {
  const options = { topic: '--topic', group: '--group', transactionalId: '--transactional-id' } as const;
  return grantsOf(rules)
    .map(({ user, resource, name, isPrefix, operations }) =>
      [
        'kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --command-config "$KAFKA_ADMIN_PROPERTIES" --add',
        `--allow-principal 'User:${user}'`,
        ...operations.map((operation) => `--operation ${operation}`),
        `${options[resource]} '${name}'`,
        `--resource-pattern-type ${isPrefix ? 'prefixed' : 'literal'}`,
      ].join(' '),
    )
    .join('\n')
    .concat('\n');
}

/** A `KafkaUser` for each user. Strimzi also creates its password, in a secret of the user's name. */
function asStrimziUsers(rules: readonly AccessRule[]): string {
  const users = byUser(rules).map(([user, grants]) => {
    const lines = grants.map(({ resource, name, isPrefix, operations }) => {
      const pattern = `{ type: ${resource}, name: ${name}, patternType: ${isPrefix ? 'prefix' : 'literal'} }`;
      return `      - { resource: ${pattern}, operations: [${operations.join(', ')}] }`;
    });
    return `apiVersion: kafka.strimzi.io/v1
kind: KafkaUser
metadata:
  name: ${user}
  labels: { strimzi.io/cluster: truetally }
spec:
  authentication: { type: scram-sha-512 }
  authorization:
    type: simple
    acls:
${lines.join('\n')}
`;
  });
  return OPERATOR_HEADER + users.join('---\n');
}

function byUser(rules: readonly AccessRule[]): readonly (readonly [string, readonly Grant[]])[] {
  const users = new Map<string, Grant[]>();
  for (const grant of grantsOf(rules)) users.set(grant.user, [...(users.get(grant.user) ?? []), grant]);
  return [...users];
}

function grantsOf(rules: readonly AccessRule[]): readonly Grant[] {
  const grants = new Map<string, Grant>();
  for (const { operation, ...place } of rules) {
    const key = JSON.stringify(place);
    const operations = [...(grants.get(key)?.operations ?? []), operation].toSorted();
    grants.set(key, { ...place, operations });
  }
  return [...grants.values()];
}
