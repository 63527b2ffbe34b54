import { TOPICS } from '@truetally/contracts';
import { appendToOutbox, inTransaction, type OutboxRelay, type OutgoingFact } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { campaignFact, credentialFact, memberFact, siteFact } from '../domain/facts.js';
import { holdApiKeys } from '../storage/api-key.store.js';
import { holdCampaigns } from '../storage/campaign.store.js';
import { BEFORE_EVERY_ID } from '../storage/ids.js';
import { holdMembers } from '../storage/member.store.js';
import { holdSites } from '../storage/site.store.js';

/** Rows held in one transaction: enough to be quick, few enough for a change of one of them to wait only shortly. */
const ROWS_PER_CHUNK = 1_000;
/** Of rows that may be large: 64 KiB each. */
const LARGE_ROWS_PER_CHUNK = 100;

/** A row's fact, and the id by which the rows are in order. */
interface RowFact {
  readonly id: string;
  readonly fact: OutgoingFact;
}

/** What one compacted topic says, as the tables know it. */
interface Source {
  readonly topic: string;
  readonly rowsPerChunk: number;
  readonly read: (client: ClientBase, afterId: string, limit: number) => Promise<readonly RowFact[]>;
}

export const SOURCES = {
  sites: {
    topic: TOPICS.sites.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const rows = await holdSites(client, afterId, limit);
      return rows.map(({ site, isSuspended }) => ({ id: site.id, fact: siteFact(site, isSuspended) }));
    },
  },
  credentials: {
    topic: TOPICS.credentials.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const rows = await holdApiKeys(client, afterId, limit);
      return rows.map((key) => ({ id: key.keyId, fact: credentialFact(key) }));
    },
  },
  members: {
    topic: TOPICS.members.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const rows = await holdMembers(client, afterId, limit);
      return rows.map(({ member, workspace }) => ({
        id: member.memberId,
        fact: memberFact(member, workspace),
      }));
    },
  },
  campaigns: {
    topic: TOPICS.campaigns.name,
    rowsPerChunk: LARGE_ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const rows = await holdCampaigns(client, afterId, limit);
      return rows.map((campaign) => ({ id: campaign.id, fact: campaignFact(campaign) }));
    },
  },
} as const satisfies Record<string, Source>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = Object.keys(SOURCES) as SourceName[];

/** Keys that the compacted topics hold: what they hold need not be said again. */
export type KnownKeys = Readonly<Record<SourceName, ReadonlySet<string>>>;

/** How many facts were said again. */
export type Republished = Readonly<Record<SourceName, number>>;

/**
 * Says again, from the tables, what the compacted topics do not hold: so a lost Kafka is filled by itself. It goes
 * through the outbox, because only there it is in order with changes made at the same time; a direct publish could
 * put a key's state of a moment ago after its revocation.
 */
export async function republishFacts(pool: Pool, relay: OutboxRelay, known: KnownKeys): Promise<Republished> {
  const republished: Record<SourceName, number> = { sites: 0, credentials: 0, members: 0, campaigns: 0 };
  for (const name of SOURCE_NAMES) {
    republished[name] = await inChunks(pool, relay, SOURCES[name], known[name]);
  }
  return republished;
}

async function inChunks(
  pool: Pool,
  relay: OutboxRelay,
  source: Source,
  known: ReadonlySet<string>,
): Promise<number> {
  let republished = 0;
  let afterId: string | undefined = BEFORE_EVERY_ID;
  while (afterId !== undefined) {
    const chunk = await inTransaction(pool, (client) =>
      appendChunk(client, afterId ?? BEFORE_EVERY_ID, source, known),
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
  { read, rowsPerChunk }: Source,
  known: ReadonlySet<string>,
): Promise<{ readonly appended: number; readonly lastId: string | undefined }> {
  const rows = await read(client, afterId, rowsPerChunk);
  const missing = rows.map(({ fact }) => fact).filter((fact) => !known.has(fact.key));
  await appendToOutbox(client, missing);
  return { appended: missing.length, lastId: rows.length < rowsPerChunk ? undefined : rows.at(-1)?.id };
}
