import type { Failure, Reply } from '@truetally/kernel';
import { arrayLiteral, forgetOldReplies } from '@truetally/persistence';
import type { ClientBase } from 'pg';

/** What was answered to these messages, where they were refused before. By correlation id. */
export async function readRefused(
  client: ClientBase,
  correlationIds: readonly string[],
): Promise<ReadonlyMap<string, Failure>> {
  if (correlationIds.length === 0) return new Map();
  const { rows } = await client.query<{ correlation_id: string; reply: Reply<never> }>({
    name: 'read-refused',
    text: 'select correlation_id, reply from inbox where correlation_id = any($1::text[])',
    values: [arrayLiteral(correlationIds)],
  });
  return new Map(
    rows.flatMap(({ correlation_id, reply }) =>
      'error' in reply ? [[correlation_id, reply.error] as const] : [],
    ),
  );
}

/**
 * Keeps why messages were refused, in the transaction that decided it: an accepted one leaves its record, and a refused one would be
 * decided again when it is delivered again, perhaps behind the purchase that it was too early for.
 */
export async function keepRefused(client: ClientBase, refused: ReadonlyMap<string, Failure>): Promise<void> {
  if (refused.size === 0) return;
  const replies = [...refused.values()].map((error) => JSON.stringify({ error }));
  await client.query({
    name: 'keep-refused',
    text: `insert into inbox (correlation_id, reply) select * from unnest($1::text[], $2::json[])`,
    values: [arrayLiteral([...refused.keys()]), arrayLiteral(replies)],
  });
  await forgetOldReplies(client);
}
