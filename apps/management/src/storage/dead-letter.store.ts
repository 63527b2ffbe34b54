import { randomUUID } from 'node:crypto';
import type { DeadLetterResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import {
  COMMAND_AGE_LIMIT_DAYS,
  DAY_MS,
  DEAD_LETTER_RETENTION_DAYS,
  formatInstant,
  REPLAY_AGE_LIMIT_DAYS,
  type Reply,
  uuidFromFingerprint,
  fingerprint,
} from '@truetally/kernel';
import type { BuriedMessage, DeadLetter } from '@truetally/messaging';
import { type Queryable, readPage } from '@truetally/resource';
import { deleteOlder, tableOf } from '@truetally/persistence';
import type { ClientBase, QueryResultRow } from 'pg';

/** As long as the message is certainly on its topic: listed dead letters can be replayed. */
const KEEP = `${DEAD_LETTER_RETENTION_DAYS} days`;

interface LetterRecord extends DeadLetterResource {
  readonly writtenMs: number;
  /** Where the letter is on the dead-letter topic. */
  readonly partition: number;
  readonly offset: number;
}

const DEAD_LETTERS = tableOf<LetterRecord>('dead_letters', 'id', {
  id: ['dead_letter_id', 'uuid'],
  topic: 'text',
  group: ['consumer_group', 'text'],
  reason: 'text',
  attempts: 'integer',
  at: 'instant',
  request_id: 'text',
  state: 'text',
  handled_at: 'instant',
  handled_by: 'text',
  writtenMs: ['written_at', 'milliseconds'],
  partition: ['letter_partition', 'integer'],
  offset: ['letter_offset', 'count'],
});
const NEW = DEAD_LETTERS.without('state', 'handled_at', 'handled_by');
const RESOURCES = DEAD_LETTERS.without('writtenMs', 'partition', 'offset');
const HANDLED = DEAD_LETTERS.only('state', 'handled_at', 'handled_by');

interface ActionRecord extends Pick<DeadLetterResource, 'reason' | 'request_id' | 'topic'> {
  readonly action_id: string;
  readonly dead_letter_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: HandledLetter['action'];
  readonly action_request_id: string | null;
}

const ACTIONS = tableOf<ActionRecord>('dead_letter_actions', 'action_id', {
  action_id: 'uuid',
  dead_letter_id: 'uuid',
  at: 'instant',
  actor: 'text',
  action: 'text',
  action_request_id: 'text',
  topic: 'text',
  reason: 'text',
  request_id: 'text',
});

/** Stores each dead letter once, however often it is read; expired ones are skipped. */
export async function keepDeadLetters(client: Queryable, letters: readonly DeadLetter[]): Promise<void> {
  const rows = letters.map((dead) => {
    const { topic, group, reason, attempts, atMs, requestId = null, writtenMs, letter } = dead;
    const described = { topic, group, reason, attempts, at: formatInstant(atMs), request_id: requestId };
    return { id: idOf(dead), ...described, writtenMs, ...letter };
  });
  await client.query(
    NEW.insertAll(rows, `where given.at > now() - interval '${KEEP}' on conflict do nothing`),
  );
}

/**
 * Derived from the message and its group: a message that was dead-lettered twice, because a process died in
 * between, is one dead letter.
 */
function idOf({ topic, partition, offset, writtenMs, group }: DeadLetter): string {
  return uuidFromFingerprint(
    fingerprint(['dead-letter', topic, String(partition), String(offset), String(writtenMs), group]),
  );
}

/** Compared with `=`, the most selective first; each has an index after that of the state. */
const NARROWING = ['request_id', 'topic'] as const;

type ListedLetter = DeadLetterResource & { readonly created_at: string };

/** Dead letters of a state, by default `waiting`; `reason` matches any substring, in any case. */
export async function pageOfDeadLetters(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<DeadLetterResource>>> {
  const { state = 'waiting', reason, ...filters } = query.filters;
  const [first, ...others] = NARROWING.filter((column) => filters[column] !== undefined);
  const values: unknown[] = [state];
  const where = ['state = $1'];
  for (const column of others) where.push(`${column} = $${values.push(filters[column])}`);
  if (reason !== undefined) where.push(`strpos(lower(reason), lower($${values.push(reason)})) > 0`);
  const page = await readPage<QueryResultRow, ListedLetter>(client, query, {
    columns: RESOURCES.selection(),
    from: RESOURCES.name,
    idColumn: RESOURCES.key,
    createdColumn: 'at',
    where,
    values,
    narrowing: first === undefined ? [] : [{ column: first, value: filters[first] }],
    toResource: (row) => {
      const letter = RESOURCES.read(row);
      return { ...letter, created_at: letter.at };
    },
  });
  if ('error' in page) return page;
  // Its time is `at`; pages are ordered by the column that every resource calls `created_at`.
  const items = page.ok.items.map(({ created_at: at, ...item }) => ({ ...item, at }));
  return { ok: { items, next_cursor: page.ok.next_cursor } };
}

/** A dead letter, locked until the transaction ends. */
export interface HeldLetter {
  readonly resource: DeadLetterResource;
  readonly buried: BuriedMessage;
  /** When the message was first written, in epoch milliseconds. */
  readonly writtenMs: number;
  /**
   * Dead-lettered for its age, or old by now: whether it was executed before may be unknown, because the
   * evidence is deleted some time.
   */
  readonly isTooOld: boolean;
}

export async function holdDeadLetter(
  client: ClientBase,
  id: string,
  nowMs: number,
): Promise<HeldLetter | undefined> {
  const { rows } = await client.query(
    `select ${DEAD_LETTERS.selection()} from dead_letters where dead_letter_id = $1 for update`,
    [id],
  );
  return rows.map(DEAD_LETTERS.read).map(({ writtenMs, partition, offset, ...resource }) => ({
    resource,
    buried: {
      to: resource.topic,
      letter: { partition, offset },
      isIt: (found: DeadLetter) => idOf(found) === resource.id,
    },
    writtenMs,
    isTooOld:
      Date.parse(resource.at) - writtenMs > COMMAND_AGE_LIMIT_DAYS * DAY_MS ||
      nowMs - writtenMs > REPLAY_AGE_LIMIT_DAYS * DAY_MS,
  }))[0];
}

export interface HandledLetter {
  readonly resource: DeadLetterResource;
  readonly action: 'replay' | 'forced-replay' | 'discard';
  readonly actor: string;
  /** Id of the request that handled it. */
  readonly requestId: string | undefined;
  readonly nowMs: number;
}

/** Records the outcome and the actor. */
export async function markHandled(client: ClientBase, handled: HandledLetter): Promise<DeadLetterResource> {
  const { resource, action, actor, requestId, nowMs } = handled;
  const at = formatInstant(nowMs);
  const state = action === 'discard' ? 'discarded' : 'replayed';
  const outcome = { state, handled_at: at, handled_by: actor } as const;
  await client.query(HANDLED.update(resource.id, outcome));
  const { topic, reason, request_id } = resource;
  await client.query(
    ACTIONS.insert({
      action_id: randomUUID(),
      dead_letter_id: resource.id,
      ...{ at, actor, action, topic, reason, request_id },
      action_request_id: requestId ?? null,
    }),
  );
  return { ...resource, ...outcome };
}

/** Deletes a bounded number of dead letters whose message has expired; the log of actions stays. */
export function forgetDeadLetters(client: Queryable): Promise<boolean> {
  return deleteOlder(client, { table: 'dead_letters', key: 'dead_letter_id', time: 'at', keep: KEEP });
}
