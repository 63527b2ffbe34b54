import { SCOPES } from '@truetally/contracts/credentials';
import { type SiteResource } from '@truetally/contracts/management';
import {
  type Installation,
  isKeyKnown,
  isSiteKnown,
  ManagementClient,
  untilKeyIsKnown,
  untilMemberIsKnown,
  untilSiteIsKnown,
} from '@truetally/testing-product';
import { readPrivateJson, writePrivateJson } from '../stack/private-file.js';
import { DEMO_SUBJECTS } from './demo-members.js';
import { mintDemoTokens } from './demo-tokens.js';

export interface DemoShop {
  readonly workspaceId: string;
  readonly siteId: string;
  readonly origin: string;
  readonly apiKey: string;
  /** In a workspace of its own. */
  readonly outsiderSiteId: string;
}

/** A demo of a version without members has no outsider. */
type KeptShop = Omit<DemoShop, 'outsiderSiteId'> & Partial<DemoShop>;

const ORIGIN = 'http://localhost:3000';
const ANOTHER_ORIGIN = 'http://another.localhost:3000';
const HOURLY_LIMIT = 100_000_000;
/** Of each workspace, for the ID tokens of its members. */
const WORKSPACE_HOURLY_LIMIT = 1_000_000;

/**
 * The workspaces, sites, key and members of the last start if they still exist, otherwise new ones. A shop
 * whose site was deleted gets another site in the same workspace, as long as that exists: its members stay
 * members.
 */
export async function demoShop(file: string, baseUrl: string, installation: Installation): Promise<DemoShop> {
  const kept = readPrivateJson(file) as KeptShop | null;
  const known = kept !== null && (await isKnown(baseUrl, kept)) ? kept : null;
  if (known !== null && isComplete(known)) return known;
  const { kafkaBrokers, topicPrefix } = installation;
  const management = await ManagementClient.connect(kafkaBrokers, topicPrefix);
  try {
    const begun = known ?? (await createShop(management, kept));
    writePrivateJson(file, begun);
    await addMembers(management, begun.workspaceId);
    const outsiderSiteId = kept?.outsiderSiteId ?? (await createOutsider(management, baseUrl, installation));
    const shop = { ...begun, outsiderSiteId };
    writePrivateJson(file, shop);
    await untilIsKnown(baseUrl, shop, installation);
    return shop;
  } finally {
    await management.close();
  }
}

function isComplete(shop: KeptShop): shop is DemoShop {
  return shop.outsiderSiteId !== undefined;
}

async function isKnown(baseUrl: string, shop: KeptShop): Promise<boolean> {
  return (await isSiteKnown(baseUrl, shop.siteId, shop.origin)) && (await isKeyKnown(baseUrl, shop.apiKey));
}

async function createShop(management: ManagementClient, kept: KeptShop | null): Promise<KeptShop> {
  const site = (kept && (await createSiteIn(management, kept.workspaceId))) ?? (await createDemo(management));
  const { key } = await management.createApiKey({
    workspace_id: site.workspace_id,
    site_id: site.id,
    name: 'Demo key',
    scopes: SCOPES,
    hourly_limit: HOURLY_LIMIT,
  });
  return { workspaceId: site.workspace_id, siteId: site.id, origin: ORIGIN, apiKey: key };
}

async function createDemo(management: ManagementClient): Promise<SiteResource> {
  const workspace = await management.createWorkspace({
    name: 'Demo',
    owner_sub: DEMO_SUBJECTS.owner,
    hourly_limit: WORKSPACE_HOURLY_LIMIT,
  });
  const site = await createSiteIn(management, workspace.id);
  if (site === null) throw new Error('The workspace was deleted as soon as it was made.');
  return site;
}

/** Null when that workspace no longer exists. */
async function createSiteIn(management: ManagementClient, workspaceId: string): Promise<SiteResource | null> {
  try {
    return await management.createSite({
      workspace_id: workspaceId,
      name: 'Demo shop',
      domain: 'localhost',
      allowed_origins: [ORIGIN],
      runtime_hourly_limit: HOURLY_LIMIT,
    });
  } catch (error) {
    if (error instanceof Error && error.message.includes('answered NOT_FOUND')) return null;
    throw error;
  }
}

/** The owner is a member already; others may be, too, after an interrupted start. */
async function addMembers(management: ManagementClient, workspaceId: string): Promise<void> {
  for (const role of ['admin', 'analyst'] as const) {
    try {
      await management.addMember({ workspace_id: workspaceId, sub: DEMO_SUBJECTS[role], role });
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('answered CONFLICT'))) throw error;
    }
  }
}

async function createOutsider(
  management: ManagementClient,
  baseUrl: string,
  { issuer }: Installation,
): Promise<string> {
  const workspace = await management.createWorkspace({
    name: 'Another',
    owner_sub: DEMO_SUBJECTS.outsider,
    hourly_limit: WORKSPACE_HOURLY_LIMIT,
  });
  const site = await management.createSite({
    workspace_id: workspace.id,
    name: 'Another shop',
    domain: 'another.localhost',
    allowed_origins: [ANOTHER_ORIGIN],
  });
  await untilSiteIsKnown(baseUrl, site.id, ANOTHER_ORIGIN);
  const { outsider } = await mintDemoTokens(issuer);
  await untilMemberIsKnown(baseUrl, outsider, site.id, workspace.id);
  return site.id;
}

async function untilIsKnown(baseUrl: string, shop: DemoShop, { issuer }: Installation): Promise<void> {
  await untilSiteIsKnown(baseUrl, shop.siteId, shop.origin);
  await untilKeyIsKnown(baseUrl, shop.apiKey);
  const { owner, admin, analyst } = await mintDemoTokens(issuer);
  for (const token of [owner, admin, analyst]) {
    await untilMemberIsKnown(baseUrl, token, shop.siteId, shop.workspaceId);
  }
}
