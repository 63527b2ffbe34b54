import { type MemberName, parseMemberKey } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { appendToOutbox, inTransaction, type OutboxRelay, type OutgoingFact } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { UUID } from '@truetally/kernel';
import {
  campaignFact,
  credentialFact,
  memberFact,
  memberGoneFact,
  siteErasedFact,
  siteFact,
} from '../domain/facts.js';
import { tombstone } from '../jobs/erasures.js';
import { holdApiKeys } from '../storage/api-key.store.js';
import { holdCampaigns, withoutCampaign } from '../storage/campaign.store.js';
import { BEFORE_EVERY_ID, type Chunk, endOf } from '../storage/chunk.js';
import { holdMembers, withoutMembership } from '../storage/member.store.js';
import { chunkOfDeletedSites, deletedSites, holdSites } from '../storage/site.store.js';

/**
 * Rows locked in one transaction: enough to be fast, few enough to block a change of one of them only
 * briefly.
 */
const ROWS_PER_CHUNK = 1_000;
/** For rows of up to 64 KiB each. */
const LARGE_ROWS_PER_CHUNK = 100;

/** A compacted topic's content according to the tables. */
interface Source {
  readonly topic: string;
  readonly rowsPerChunk: number;
  readonly read: (client: ClientBase, afterId: string, limit: number) => Promise<Chunk<OutgoingFact>>;
}

export const SOURCES = {
  sites: {
    topic: TOPICS.sites.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const { items, lastId } = await holdSites(client, afterId, limit);
      return { items: items.map(({ site, isSuspended }) => siteFact(site, isSuspended)), lastId };
    },
  },
  erasedSites: {
    topic: TOPICS.sitesErased.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const { items, lastId } = await chunkOfDeletedSites(client, afterId, limit);
      return { items: items.map(siteErasedFact), lastId };
    },
  },
  credentials: {
    topic: TOPICS.credentials.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const { items, lastId } = await holdApiKeys(client, afterId, limit);
      return { items: items.map(credentialFact), lastId };
    },
  },
  members: {
    topic: TOPICS.members.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const { items, lastId } = await holdMembers(client, afterId, limit);
      return { items: items.map(({ member, workspace }) => memberFact(member, workspace)), lastId };
    },
  },
  campaigns: {
    topic: TOPICS.campaigns.name,
    rowsPerChunk: LARGE_ROWS_PER_CHUNK,
    read: async (client, afterId, limit) => {
      const rows = await holdCampaigns(client, afterId, limit);
      return { items: rows.map(campaignFact), lastId: endOf(rows, limit)?.id };
    },
  },
} as const satisfies Record<string, Source>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = Object.keys(SOURCES) as SourceName[];

/** Keys in the compacted topics. */
export type KnownKeys = Readonly<Record<SourceName, ReadonlySet<string>>>;

/** Number of republished facts. */
export type Republished = Readonly<Record<SourceName, number>>;

/**
 * Publishes, from the tables, what the compacted topics lack: a lost Kafka is refilled by itself. Also
 * publishes tombstones for obsolete members, deleted sites and deleted campaigns: a Kafka restored from an
 * old copy must not grant access again, nor show what was taken down. It uses the outbox, which orders it
 * with concurrent changes; a direct publish could put an older state of a key after its revocation.
 * @param everything whether to publish also what the topics already contain
 */
export async function republishFacts(
  pool: Pool,
  relay: OutboxRelay,
  known: KnownKeys,
  everything = false,
): Promise<Republished> {
  const republished: Record<SourceName, number> = {
    sites: 0,
    erasedSites: 0,
    credentials: 0,
    members: 0,
    campaigns: 0,
  };
  for (const name of SOURCE_NAMES) {
    const isMissing = (fact: OutgoingFact): boolean => everything || !known[name].has(fact.key);
    republished[name] = await inChunks(pool, relay, SOURCES[name], isMissing);
  }
  republished.members += await takeBackMembers(pool, relay, known.members);
  const siteIds = [...known.sites].filter((key) => UUID.test(key));
  republished.sites += await takeBack(pool, relay, siteIds, async (client, chunk) => {
    const deleted = await deletedSites(client, chunk);
    return deleted.map((siteId) => tombstone(TOPICS.sites.name, siteId));
  });
  const campaignIds = [...known.campaigns].filter((key) => UUID.test(key));
  republished.campaigns += await takeBack(pool, relay, campaignIds, async (client, chunk) => {
    const gone = await withoutCampaign(client, chunk);
    return gone.map((campaignId) => tombstone(TOPICS.campaigns.name, campaignId));
  });
  return republished;
}

async function inChunks(
  pool: Pool,
  relay: OutboxRelay,
  { read, rowsPerChunk }: Source,
  isMissing: (fact: OutgoingFact) => boolean,
): Promise<number> {
  let republished = 0;
  let afterId: string | undefined = BEFORE_EVERY_ID;
  while (afterId !== undefined) {
    const chunk: Chunk<OutgoingFact> = await inTransaction(pool, async (client) => {
      const { items, lastId } = await read(client, afterId ?? BEFORE_EVERY_ID, rowsPerChunk);
      const missing = items.filter(isMissing);
      await appendToOutbox(client, missing);
      return { items: missing, lastId };
    });
    relay.wake();
    republished += chunk.items.length;
    afterId = chunk.lastId;
  }
  return republished;
}

function takeBackMembers(pool: Pool, relay: OutboxRelay, known: ReadonlySet<string>): Promise<number> {
  const names = [...known].map(parseMemberKey).filter((name): name is MemberName => name !== undefined);
  return takeBack(pool, relay, names, async (client, chunk) => {
    const strangers = await withoutMembership(client, chunk);
    return strangers.map(memberGoneFact);
  });
}

/** Publishes tombstones of deleted items. */
async function takeBack<T>(
  pool: Pool,
  relay: OutboxRelay,
  known: readonly T[],
  tombstonesOf: (client: ClientBase, chunk: readonly T[]) => Promise<readonly OutgoingFact[]>,
): Promise<number> {
  let gone = 0;
  for (let from = 0; from < known.length; from += ROWS_PER_CHUNK) {
    gone += await inTransaction(pool, async (client) => {
      const tombstones = await tombstonesOf(client, known.slice(from, from + ROWS_PER_CHUNK));
      await appendToOutbox(client, tombstones);
      return tombstones.length;
    });
    relay.wake();
  }
  return gone;
}
