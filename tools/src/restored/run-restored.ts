import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ANALYTICS, CLICKHOUSE_GROUP } from '@truetally/contracts/analytics';
import { REPEATED_TOPICS, SERVICES } from '@truetally/contracts/services';
import { parseInstant } from '@truetally/kernel';
import {
  DEAD_LETTERS,
  type Messaging,
  membersOfGroups,
  requireSight,
  rewindGroups,
} from '@truetally/messaging';
import {
  databaseSettings,
  databaseUrlOf,
  kafkaSecurityOf,
  kafkaSecuritySettings,
  list,
  readConfig,
} from '@truetally/platform';
import { openMessaging } from '@truetally/testing-product';
import { takeBackClickHouse } from './clickhouse-copy.js';
import { writeUndoneCommands } from './undone-commands.js';
import {
  beginIncarnations,
  markAllRewound,
  openSchemas,
  reportRestores,
  type Schema,
} from './incarnations.js';

const DONE = 0;
const FAILED = 1;
const MS_PER_MINUTE = 60_000;
const MARGIN_MINUTES = '60';
const MAX_MARGIN_MINUTES = 10_080;
const MINUTES = /^\d{1,5}$/;
const PREFIX = /^[a-z_]?[a-z0-9_]{0,30}$/;
const OPTIONS = {
  to: { type: 'string' },
  'margin-minutes': { type: 'string' },
  'nothing-lost': { type: 'boolean', default: false },
  undone: { type: 'string' },
  'topic-prefix': { type: 'string', default: '' },
  'schema-prefix': { type: 'string', default: '' },
} as const;

/** Where nothing was lost, no command is undone and no group is set back. */
const OF_A_RESTORE = ['to', 'margin-minutes', 'undone'] as const;

/** The services that store what they read from Kafka. */
const OWNERS = SERVICES.filter(({ role }) => role === 'behind').map(({ name }) => name);

/**
 * `npm run restored -- --to <instant>`: after Postgres was restored to an earlier point, begins a new incarnation in every schema,
 * and sets the groups that store something back to that point. DATABASE_URL is of the database's owner; KAFKA_BROKERS and the
 * other `KAFKA_` variables are of a user who may read every topic and group. `--undone <file>` names the commands that are not read
 * again. With `--nothing-lost`, after a failover without loss,
 * it sets no group back.
 * @returns the exit code: 0 done, 1 nothing or not everything done: it can be repeated
 */
export async function runRestored(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...parameters], options: OPTIONS });
    const restore = values['nothing-lost'] ? undefined : readRestore(values.to, values['margin-minutes']);
    const without = OF_A_RESTORE.find((name) => values[name] !== undefined);
    if (restore === undefined && without !== undefined)
      throw new Error(`--${without} belongs to a restore: either --to or --nothing-lost.`);
    const config = readConfig(environment, {
      KAFKA_BROKERS: list({ min: 1 }),
      ...kafkaSecuritySettings(),
      ...databaseSettings(),
    });
    // A file that cannot be written is said before anything is done; what an earlier run has written stays until then.
    if (values.undone !== undefined) appendFileSync(values.undone, '', { mode: 0o600 });
    const names = OWNERS.map((name) => prefixed(values['schema-prefix'], name));
    const schemas = await openSchemas(databaseUrlOf(config), names);
    try {
      if (restore === undefined) return await sayNothingLost(schemas);
      const analytics = prefixed(values['schema-prefix'], ANALYTICS.name);
      const takeBackCopy = (): Promise<void> =>
        takeBackClickHouse(environment, analytics, restore.restoredTo);
      const brokers = config.KAFKA_BROKERS.join(',');
      const security = kafkaSecurityOf(config);
      const messaging = await openMessaging(brokers, values['topic-prefix'], 'restored', security);
      try {
        const lost = { ...restore, ...(await undo(messaging, schemas, { ...restore, takeBackCopy })) };
        if (values.undone === undefined) return DONE;
        const count = await writeUndoneCommands(messaging, values.undone, lost);
        console.log(`${count} commands that are not read again: ${values.undone}.`);
        return DONE;
      } finally {
        await messaging.close();
      }
    } finally {
      await Promise.all(schemas.map(({ pool }) => pool.end()));
    }
  } catch (error) {
    console.error(`Not done: ${error instanceof Error ? error.message : String(error)}`);
    return FAILED;
  }
}

interface RestoredTo {
  readonly restoredTo: Date;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

async function undo(
  messaging: Messaging,
  schemas: readonly Schema[],
  { restoredTo, sinceMs, takeBackCopy }: RestoredTo & { readonly takeBackCopy: () => Promise<void> },
): Promise<{ readonly firstIncarnation: number }> {
  const topics = [...REPEATED_TOPICS, DEAD_LETTERS].map(({ name }) => name);
  await requireSight(messaging, { owners: OWNERS, topics });
  // Before ClickHouse's copy loses anything to a command that is refused; that it follows Kafka until then is no reason.
  await requireStopped(messaging, { except: CLICKHOUSE_GROUP });
  await takeBackCopy();
  await requireStopped(messaging);
  for (const { schema, incarnation, isRestored } of await beginIncarnations(schemas, { restoredTo }))
    console.log(`${schema}: incarnation ${incarnation}${isRestored ? '' : ', begun before'}`);
  const firstIncarnation = await reportRestores(schemas, restoredTo);
  const partitions = await rewindGroups(messaging, { owners: OWNERS, topics, sinceMs });
  for (const { group, topic, partition, from, to } of partitions)
    if (to < from) console.log(`${group}: ${topic}/${partition} from ${from} back to ${to}`);
  for (const { group, topic, partition, to, isCutOff } of partitions) {
    if (!isCutOff) continue;
    console.error(
      `${group}: ${topic}/${partition} begins at ${to}: what Kafka has removed before it is not read again.`,
    );
  }
  await markAllRewound(schemas);
  const since = new Date(sinceMs).toISOString();
  const count = partitions.filter(({ from, to }) => to < from).length;
  console.log(
    `Done: ${count} partitions are read again from ${since} on. Start management, then the others.`,
  );
  return { firstIncarnation };
}

async function requireStopped(
  messaging: Messaging,
  { except }: { readonly except?: string } = {},
): Promise<void> {
  const busy = (await membersOfGroups(messaging, OWNERS)).filter((group) => group !== except);
  if (busy.length === 0) return;
  throw new Error(
    `stop all services but the gateways first; these groups still have members: ${busy.join(', ')}. ` +
      'A killed process remains a member for some seconds.',
  );
}

async function sayNothingLost(schemas: readonly Schema[]): Promise<number> {
  await beginIncarnations(schemas, {});
  await markAllRewound(schemas);
  console.log('Done: no group was set back.');
  return DONE;
}

function readRestore(to: string | undefined, margin = MARGIN_MINUTES): RestoredTo {
  const instant = to === undefined ? undefined : parseInstant(to);
  if (instant === undefined || instant.epochMs > Date.now())
    throw new Error('--to must be a past instant with an offset, 2026-01-31T09:30:00Z for example.');
  if (!MINUTES.test(margin) || Number(margin) > MAX_MARGIN_MINUTES)
    throw new Error(`--margin-minutes must be a number from 0 to ${MAX_MARGIN_MINUTES}.`);
  return {
    restoredTo: new Date(instant.epochMs),
    sinceMs: instant.epochMs - Number(margin) * MS_PER_MINUTE,
  };
}

function prefixed(prefix: string, service: string): string {
  if (!PREFIX.test(prefix)) throw new Error('--schema-prefix must begin a lower-case SQL identifier.');
  return `${prefix}${service.replaceAll('-', '_')}`;
}
