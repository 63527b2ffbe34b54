import { type MemberName, memberNameOf } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import type { StateSource } from '@truetally/service';
import {
  campaignFact,
  credentialFact,
  memberFact,
  memberGoneFact,
  siteErasedFact,
  siteFact,
} from '../domain/facts.js';
import { tombstone } from '../jobs/erasures.js';
import { workflowFact } from '../workflows/workflow-fact.js';
import { holdApiKeys, withoutApiKey } from '../storage/api-key.store.js';
import { holdCampaigns, withoutCampaign } from '../storage/campaign.store.js';
import { BEFORE_EVERY_ID, endOf } from '../storage/chunk.js';
import { holdMembers, withoutMembership } from '../storage/member.store.js';
import { holdWorkflows, withoutWorkflow } from '../storage/workflow.store.js';
import { chunkOfDeletedSites, holdSites, livingSites, withoutSite } from '../storage/site.store.js';

const ROWS_PER_CHUNK = 1_000;
/** For rows of up to 64 KiB each. */
const LARGE_ROWS_PER_CHUNK = 100;

/** The compacted topics that this service owns, from its tables. */
export const SOURCES = {
  // Before the tombstones of their sites.
  erasedSites: {
    topic: TOPICS.sitesErased.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    reusesKeys: true,
    read: async (client, afterId = BEFORE_EVERY_ID, limit) => {
      const { items, lastId } = await chunkOfDeletedSites(client, afterId, limit);
      return { items: items.map(siteErasedFact), lastId };
    },
    // A site that exists again after a restore is not erased any more.
    tombstones: async (client, keys) => {
      const living = await livingSites(client, keys.filter(isId));
      return living.map((siteId) => tombstone(TOPICS.sitesErased.name, siteId));
    },
  },
  sites: {
    topic: TOPICS.sites.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    reusesKeys: false,
    read: async (client, afterId = BEFORE_EVERY_ID, limit) => {
      const { items, lastId } = await holdSites(client, afterId, limit);
      return { items: items.map(({ site, isSuspended }) => siteFact(site, isSuspended)), lastId };
    },
    tombstones: async (client, keys) => {
      const gone = await withoutSite(client, keys.filter(isId));
      return gone.map((siteId) => tombstone(TOPICS.sites.name, siteId));
    },
  },
  credentials: {
    topic: TOPICS.credentials.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    reusesKeys: false,
    read: async (client, afterId = BEFORE_EVERY_ID, limit) => {
      const { items, lastId } = await holdApiKeys(client, afterId, limit);
      return { items: items.map(credentialFact), lastId };
    },
    tombstones: async (client, keys) => {
      const gone = await withoutApiKey(client, keys.filter(isId));
      return gone.map((keyId) => tombstone(TOPICS.credentials.name, keyId));
    },
  },
  members: {
    topic: TOPICS.members.name,
    rowsPerChunk: ROWS_PER_CHUNK,
    reusesKeys: true,
    read: async (client, afterId = BEFORE_EVERY_ID, limit) => {
      const { items, lastId } = await holdMembers(client, afterId, limit);
      return { items: items.map(({ member, workspace }) => memberFact(member, workspace)), lastId };
    },
    tombstones: async (client, keys) => {
      const names = keys.map(memberNameOf).filter((name): name is MemberName => name !== undefined);
      const strangers = await withoutMembership(client, names);
      return strangers.map(memberGoneFact);
    },
  },
  campaigns: {
    topic: TOPICS.campaigns.name,
    rowsPerChunk: LARGE_ROWS_PER_CHUNK,
    reusesKeys: false,
    read: async (client, afterId = BEFORE_EVERY_ID, limit) => {
      const rows = await holdCampaigns(client, afterId, limit);
      return { items: rows.map(campaignFact), lastId: endOf(rows, limit)?.id };
    },
    tombstones: async (client, keys) => {
      const gone = await withoutCampaign(client, keys.filter(isId));
      return gone.map((campaignId) => tombstone(TOPICS.campaigns.name, campaignId));
    },
  },
  workflows: {
    topic: TOPICS.workflows.name,
    rowsPerChunk: LARGE_ROWS_PER_CHUNK,
    reusesKeys: false,
    read: async (client, afterId = BEFORE_EVERY_ID, limit) => {
      const rows = await holdWorkflows(client, afterId, limit);
      return { items: rows.map(workflowFact), lastId: endOf(rows, limit)?.id };
    },
    tombstones: async (client, keys) => {
      const gone = await withoutWorkflow(client, keys.filter(isId));
      return gone.map((id) => tombstone(TOPICS.workflows.name, id));
    },
  },
} as const satisfies Record<string, StateSource>;

function isId(key: string): boolean {
  return UUID.test(key);
}
