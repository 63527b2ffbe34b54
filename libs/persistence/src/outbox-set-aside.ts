import type { ClientBase } from 'pg';
import { appendToOutbox, lockOutbox, type OutgoingFact } from './outbox.js';

/** A fact that the broker will never accept: too large, or for a missing topic. */
export interface RefusedFact extends OutgoingFact {
  /** Its id in the outbox. */
  readonly id: string;
  /** The broker's error, never the fact's content. */
  readonly reason: string;
}

/** A fact that waits for an operator, without its value, which may be megabytes of private data. */
export interface SetAsideFact extends Omit<RefusedFact, 'headers' | 'value'> {
  /** Of its value; 0 for a tombstone. */
  readonly bytes: number;
  /** A newer state of its key has been published since: it must no longer be published. */
  readonly isSuperseded: boolean;
  readonly setAsideAt: Date;
}

/** Who handles a fact, and by which request. */
export interface SetAsideActor {
  readonly actor: string;
  readonly requestId: string | undefined;
}

/** `superseded`: it stays set aside, because a newer state of its key is published or queued. */
export type HandledSetAside =
  | { readonly kind: 'handled'; readonly fact: SetAsideFact }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'unknown' };

/** Stores refused facts, in the transaction that deletes them from the outbox. */
export async function setAside(
  client: ClientBase,
  facts: readonly RefusedFact[],
  isState: (topic: string) => boolean,
): Promise<void> {
  await client.query(
    `insert into outbox_set_aside (id, topic, key, value, headers, reason, is_state)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::boolean[])`,
    [
      facts.map((fact) => fact.id),
      facts.map((fact) => fact.topic),
      facts.map((fact) => fact.key),
      facts.map((fact) => fact.value),
      facts.map((fact) => JSON.stringify(fact.headers ?? {})),
      facts.map((fact) => fact.reason),
      facts.map((fact) => isState(fact.topic)),
    ],
  );
}

interface SetAsideRow extends Omit<SetAsideFact, 'isSuperseded' | 'setAsideAt'> {
  readonly is_superseded: boolean;
  readonly set_aside_at: Date;
}

const LISTED = `id, topic, key, coalesce(octet_length(value), 0) as bytes, reason, is_superseded, set_aside_at`;

/** Facts that wait for an operator, oldest first, after the given id (`'0'` for the first page). */
export async function listSetAside(
  client: Pick<ClientBase, 'query'>,
  afterId: string,
  limit: number,
): Promise<readonly SetAsideFact[]> {
  const { rows } = await client.query<SetAsideRow>(
    `select ${LISTED} from outbox_set_aside where id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows.map(toFact);
}

/**
 * Appends a fact to the outbox again, in the caller's transaction; wake the relay after its commit. A state
 * that a newer one of its key has overtaken is not appended: readers would take it for the newest.
 */
export async function replaySetAside(
  client: ClientBase,
  id: string,
  by: SetAsideActor,
): Promise<HandledSetAside> {
  // From here on, no other transaction appends a newer state of the key.
  await lockOutbox(client);
  const { rows } = await client.query<OutgoingFact & SetAsideRow>(
    `delete from outbox_set_aside as aside
     where id = $1 and not (is_state and (is_superseded or exists (
       select from outbox where outbox.topic = aside.topic and outbox.key = aside.key)))
     returning ${LISTED}, value, headers`,
    [id],
  );
  const [row] = rows;
  if (row !== undefined) {
    const { topic, key, value, headers = {} } = row;
    await appendToOutbox(client, [{ topic, key, value, headers }]);
    return handled(client, row, 'replay', by);
  }
  const { rowCount } = await client.query('select from outbox_set_aside where id = $1', [id]);
  return rowCount === 0 ? { kind: 'unknown' } : { kind: 'superseded' };
}

/** Discards a fact, in the caller's transaction. */
export async function discardSetAside(
  client: ClientBase,
  id: string,
  by: SetAsideActor,
): Promise<HandledSetAside> {
  const { rows } = await client.query<SetAsideRow>(
    `delete from outbox_set_aside where id = $1 returning ${LISTED}`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? { kind: 'unknown' } : handled(client, row, 'discard', by);
}

async function handled(
  client: ClientBase,
  row: SetAsideRow,
  action: 'replay' | 'discard',
  { actor, requestId }: SetAsideActor,
): Promise<HandledSetAside> {
  await client.query(
    `insert into outbox_set_aside_actions (fact_id, actor, action, action_request_id, topic, key, reason)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, actor, action, requestId ?? null, row.topic, row.key, row.reason],
  );
  return { kind: 'handled', fact: toFact(row) };
}

function toFact(row: SetAsideRow): SetAsideFact {
  const { id, topic, key, bytes, reason, is_superseded: isSuperseded, set_aside_at: setAsideAt } = row;
  return { id, topic, key, bytes, reason, isSuperseded, setAsideAt };
}
