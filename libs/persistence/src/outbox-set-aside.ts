import type { ClientBase } from 'pg';
import { appendToOutbox, lockOutbox, type OutgoingFact } from './outbox.js';

/** A fact that the broker will not take as it is: too large, or to a topic that does not exist. */
export interface RefusedFact extends OutgoingFact {
  /** Its place in the outbox. */
  readonly id: string;
  /** What the broker said; never what was in the fact. */
  readonly reason: string;
}

export interface SetAsideFact extends RefusedFact {
  /** A newer state of its key has been published since: it must not be published any more. */
  readonly isSuperseded: boolean;
  readonly setAsideAt: Date;
}

/** `superseded`: it stays where it is, because a newer state of its key is out or on its way. */
export type ReplayOfSetAside = 'replayed' | 'superseded' | 'unknown';

/** Keeps what is refused, in the transaction that takes it out of the outbox. */
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

interface SetAsideRow extends RefusedFact {
  readonly is_superseded: boolean;
  readonly set_aside_at: Date;
}

/** What waits for a person, oldest first, after the id given (`'0'` for the beginning). */
export async function listSetAside(
  client: Pick<ClientBase, 'query'>,
  afterId: string,
  limit: number,
): Promise<readonly SetAsideFact[]> {
  const { rows } = await client.query<SetAsideRow>(
    `select id, topic, key, value, headers, reason, is_superseded, set_aside_at
     from outbox_set_aside where id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows.map(({ is_superseded: isSuperseded, set_aside_at: setAsideAt, ...fact }) => ({
    ...fact,
    isSuperseded,
    setAsideAt,
  }));
}

/**
 * Puts a fact back at the end of the outbox, in the caller's transaction; the relay is to be woken after its commit. A
 * state that a newer one of its key has overtaken is not put back: readers would take it for the newest.
 */
export async function replaySetAside(client: ClientBase, id: string): Promise<ReplayOfSetAside> {
  // From here on nobody appends a newer state of the key.
  await lockOutbox(client);
  const { rows } = await client.query<OutgoingFact>(
    `delete from outbox_set_aside as aside
     where id = $1 and not (is_state and (is_superseded or exists (
       select from outbox where outbox.topic = aside.topic and outbox.key = aside.key)))
     returning topic, key, value, headers`,
    [id],
  );
  if (rows.length > 0) {
    await appendToOutbox(client, rows);
    return 'replayed';
  }
  const { rowCount } = await client.query('select from outbox_set_aside where id = $1', [id]);
  return rowCount === 0 ? 'unknown' : 'superseded';
}

/** Gives a fact up. @returns whether there was one */
export async function discardSetAside(client: Pick<ClientBase, 'query'>, id: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from outbox_set_aside where id = $1', [id]);
  return rowCount === 1;
}
