import { appendToOutbox, inTransaction, type OutboxRelay, type OutgoingFact } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { credentialFact, memberFact, siteFact } from '../domain/facts.js';
import { holdApiKeys } from '../storage/api-key.store.js';
import { BEFORE_EVERY_ID } from '../storage/ids.js';
import { holdMembers } from '../storage/member.store.js';
import { holdSites } from '../storage/site.store.js';

/** Keys that the compacted topics hold: what they hold need not be said again. */
export interface KnownKeys {
  readonly sites: ReadonlySet<string>;
  readonly credentials: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

export interface Republished {
  readonly sites: number;
  readonly credentials: number;
  readonly members: number;
}

/** Rows held in one transaction: enough to be quick, few enough for a change of one of them to wait only shortly. */
const ROWS_PER_CHUNK = 1_000;

/**
 * Says again, from the tables, what the compacted topics do not hold: so a lost Kafka is filled by itself. It goes
 * through the outbox, because only there it is in order with changes made at the same time; a direct publish could
 * put a key's state of a moment ago after its revocation.
 */
export async function republishFacts(pool: Pool, relay: OutboxRelay, known: KnownKeys): Promise<Republished> {
  const sites = await inChunks(
    pool,
    relay,
    async (client, afterId) => {
      const rows = await holdSites(client, afterId, ROWS_PER_CHUNK);
      return rows.map(({ site, isSuspended }) => ({ id: site.id, fact: siteFact(site, isSuspended) }));
    },
    known.sites,
  );
  const credentials = await inChunks(
    pool,
    relay,
    async (client, afterId) => {
      const rows = await holdApiKeys(client, afterId, ROWS_PER_CHUNK);
      return rows.map((key) => ({ id: key.keyId, fact: credentialFact(key) }));
    },
    known.credentials,
  );
  const members = await inChunks(
    pool,
    relay,
    async (client, afterId) => {
      const rows = await holdMembers(client, afterId, ROWS_PER_CHUNK);
      return rows.map(({ member, workspace }) => ({
        id: member.memberId,
        fact: memberFact(member, workspace),
      }));
    },
    known.members,
  );
  return { sites, credentials, members };
}

/** A row's fact, and the id by which the rows are in order. */
interface RowFact {
  readonly id: string;
  readonly fact: OutgoingFact;
}

type ReadChunk = (client: ClientBase, afterId: string) => Promise<readonly RowFact[]>;

async function inChunks(
  pool: Pool,
  relay: OutboxRelay,
  read: ReadChunk,
  known: ReadonlySet<string>,
): Promise<number> {
  let republished = 0;
  let afterId: string | undefined = BEFORE_EVERY_ID;
  while (afterId !== undefined) {
    const chunk = await inTransaction(pool, (client) =>
      appendChunk(client, afterId ?? BEFORE_EVERY_ID, read, known),
    );
    relay.wake();
    republished += chunk.appended;
    afterId = chunk.lastId;
  }
  return republished;
}

/** @returns the last id of a full chunk; none when there is nothing behind it */
async function appendChunk(
  client: ClientBase,
  afterId: string,
  read: ReadChunk,
  known: ReadonlySet<string>,
): Promise<{ readonly appended: number; readonly lastId: string | undefined }> {
  const rows = await read(client, afterId);
  const missing = rows.map(({ fact }) => fact).filter((fact) => !known.has(fact.key));
  await appendToOutbox(client, missing);
  return { appended: missing.length, lastId: rows.length < ROWS_PER_CHUNK ? undefined : rows.at(-1)?.id };
}
