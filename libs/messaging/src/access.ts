import { type AclEntry, type Admin } from 'kafkajs';
import { kafkajs } from './driver-speed/kafkajs.js';

const {
  AclOperationTypes: Operation,
  AclPermissionTypes: Permission,
  AclResourceTypes: Resource,
  ResourcePatternTypes: Pattern,
} = kafkajs;

const OPERATIONS = {
  Read: Operation.READ,
  Write: Operation.WRITE,
  Create: Operation.CREATE,
  Delete: Operation.DELETE,
  Describe: Operation.DESCRIBE,
  DescribeConfigs: Operation.DESCRIBE_CONFIGS,
  AlterConfigs: Operation.ALTER_CONFIGS,
} as const;
const RESOURCES = {
  topic: Resource.TOPIC,
  group: Resource.GROUP,
  transactionalId: Resource.TRANSACTIONAL_ID,
} as const;

/** An operation in Kafka's access lists. */
export type AccessOperation = keyof typeof OPERATIONS;

/** A permission of a Kafka user, from any host. Everything without a rule is forbidden. */
export interface AccessRule {
  /** Without `User:`. */
  readonly user: string;
  readonly resource: keyof typeof RESOURCES;
  /** With the installation's prefix. */
  readonly name: string;
  /** Whether the name is a prefix. */
  readonly isPrefix: boolean;
  readonly operation: AccessOperation;
}

/** Gives the users of these rules exactly these permissions: adds missing rules first, then removes all others. */
export async function setAccess(
  admin: Admin,
  rules: readonly AccessRule[],
): Promise<{ readonly added: number; readonly removed: number }> {
  const wanted = new Map(rules.map((rule) => entryOf(rule)).map((entry) => [textOf(entry), entry]));
  const users = new Set(rules.map(({ user }) => user));
  const found = new Map<string, AclEntry>();
  for (const user of users) for (const entry of await entriesOf(admin, user)) found.set(textOf(entry), entry);
  const missing = [...wanted].filter(([text]) => !found.has(text)).map(([, entry]) => entry);
  const superfluous = [...found].filter(([text]) => !wanted.has(text)).map(([, entry]) => entry);
  if (missing.length > 0) await admin.createAcls({ acl: missing });
  if (superfluous.length > 0) await admin.deleteAcls({ filters: superfluous });
  return { added: missing.length, removed: superfluous.length };
}

async function entriesOf(admin: Admin, user: string): Promise<readonly AclEntry[]> {
  const { resources } = await admin.describeAcls({
    resourceType: Resource.ANY,
    resourcePatternType: Pattern.ANY,
    principal: `User:${user}`,
    operation: Operation.ANY,
    permissionType: Permission.ANY,
  });
  return resources.flatMap(({ acls, resourceType, resourceName, resourcePatternType }) =>
    acls.map((acl) => ({ resourceType, resourceName, resourcePatternType, ...acl })),
  );
}

function entryOf({ user, resource, name, isPrefix, operation }: AccessRule): AclEntry {
  return {
    resourceType: RESOURCES[resource],
    resourceName: name,
    resourcePatternType: isPrefix ? Pattern.PREFIXED : Pattern.LITERAL,
    principal: `User:${user}`,
    host: '*',
    operation: OPERATIONS[operation],
    permissionType: Permission.ALLOW,
  };
}

function textOf(entry: AclEntry): string {
  const { resourceType, resourcePatternType, resourceName, principal, host, operation } = entry;
  return [
    resourceType,
    resourcePatternType,
    resourceName,
    principal,
    host,
    operation,
    entry.permissionType,
  ].join(' ');
}
