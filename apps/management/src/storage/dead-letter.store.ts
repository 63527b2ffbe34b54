import { randomUUID } from 'node:crypto';
import type { DeadLetterResource, DeadLetterState } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import {
  COMMAND_AGE_LIMIT_DAYS,
  DAY_MS,
  DEAD_LETTER_RETENTION_DAYS,
  type Reply,
  uuidFromFingerprint,
  fingerprint,
} from '@truetally/kernel';
import type { BuriedMessage, DeadLetter } from '@truetally/messaging';
import { type Queryable, readPage } from '@truetally/resource';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';

/** As long as the message is certainly on its topic: listed dead letters can be replayed. */
const KEEP = `${DEAD_LETTER_RETENTION_DAYS} days`;

/** Stores each dead letter once, however often it is read; expired ones are skipped. */
export async function keepDeadLetters(client: Queryable, letters: readonly DeadLetter[]): Promise<void> {
  await client.query(
    `insert into dead_letters (dead_letter_id, at, topic, consumer_group, reason, attempts, request_id, written_at,
       letter_partition, letter_offset)
     select said.* from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::integer[],
       $7::text[], $8::timestamptz[], $9::integer[], $10::bigint[]) as said (id, at, topic, consumer_group, reason,
       attempts, request_id, written_at, letter_partition, letter_offset)
     where said.at > now() - interval '${KEEP}'
     on conflict do nothing`,
    [
      letters.map(idOf),
      letters.map(({ atMs }) => new Date(atMs)),
      letters.map(({ topic }) => topic),
      letters.map(({ group }) => group),
      letters.map(({ reason }) => reason),
      letters.map(({ attempts }) => attempts),
      letters.map(({ requestId }) => requestId ?? null),
      letters.map(({ writtenMs }) => new Date(writtenMs)),
      letters.map(({ letter }) => letter.partition),
      letters.map(({ letter }) => letter.offset),
    ],
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

interface DeadLetterRow {
  readonly dead_letter_id: string;
  readonly at: Date;
  readonly topic: string;
  readonly consumer_group: string;
  readonly reason: string;
  readonly attempts: number;
  readonly request_id: string | null;
  readonly state: DeadLetterState;
  readonly handled_at: Date | null;
  readonly handled_by: string | null;
}

interface PlacedRow extends DeadLetterRow {
  readonly written_at: Date;
  readonly letter_partition: number;
  readonly letter_offset: string;
}

const COLUMNS = `dead_letter_id, at, topic, consumer_group, reason, attempts, request_id, state, handled_at, handled_by`;
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
  const page = await readPage<DeadLetterRow, ListedLetter>(client, query, {
    columns: COLUMNS,
    from: 'dead_letters',
    idColumn: 'dead_letter_id',
    createdColumn: 'at',
    where,
    values,
    narrowing: first === undefined ? [] : [{ column: first, value: filters[first] }],
    toResource: (row) => ({ ...toResource(row), created_at: row.at.toISOString() }),
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
  /** Dead-lettered for its age: whether it was executed before is unknown. */
  readonly isTooOld: boolean;
}

export async function holdDeadLetter(client: ClientBase, id: string): Promise<HeldLetter | undefined> {
  const { rows } = await client.query<PlacedRow>(
    `select ${COLUMNS}, written_at, letter_partition, letter_offset from dead_letters
     where dead_letter_id = $1 for update`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    resource: toResource(row),
    buried: {
      topic: row.topic,
      letter: { partition: row.letter_partition, offset: Number(row.letter_offset) },
    },
    isTooOld: row.at.getTime() - row.written_at.getTime() > COMMAND_AGE_LIMIT_DAYS * DAY_MS,
  };
}

export interface HandledLetter {
  readonly resource: DeadLetterResource;
  readonly action: 'replay' | 'discard';
  readonly actor: string;
  /** Id of the request that handled it. */
  readonly requestId: string | undefined;
  readonly nowMs: number;
}

/** Records the outcome and the actor. */
export async function markHandled(client: ClientBase, handled: HandledLetter): Promise<DeadLetterResource> {
  const { resource, action, actor, requestId, nowMs } = handled;
  const state = action === 'replay' ? 'replayed' : 'discarded';
  const at = new Date(nowMs);
  await client.query(
    'update dead_letters set state = $2, handled_at = $3, handled_by = $4 where dead_letter_id = $1',
    [resource.id, state, at, actor],
  );
  await client.query(
    `insert into dead_letter_actions
       (action_id, dead_letter_id, at, actor, action, action_request_id, topic, reason, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      randomUUID(),
      resource.id,
      at,
      actor,
      action,
      requestId ?? null,
      resource.topic,
      resource.reason,
      resource.request_id,
    ],
  );
  return { ...resource, state, handled_at: at.toISOString(), handled_by: actor };
}

/** Deletes a bounded number of dead letters whose message has expired; the log of actions stays. */
export function forgetDeadLetters(client: Queryable): Promise<boolean> {
  return deleteOlder(client, { table: 'dead_letters', key: 'dead_letter_id', time: 'at', keep: KEEP });
}

function toResource(row: DeadLetterRow): DeadLetterResource {
  return {
    id: row.dead_letter_id,
    topic: row.topic,
    group: row.consumer_group,
    reason: row.reason,
    attempts: row.attempts,
    at: row.at.toISOString(),
    request_id: row.request_id,
    state: row.state,
    handled_at: row.handled_at?.toISOString() ?? null,
    handled_by: row.handled_by,
  };
}
