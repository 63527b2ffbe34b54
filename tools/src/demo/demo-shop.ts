import { SCOPES } from '@truetally/contracts';
import {
  type Installation,
  isKeyKnown,
  isSiteKnown,
  ManagementClient,
  untilKeyIsKnown,
  untilSiteIsKnown,
} from '@truetally/testing-product';
import { readPrivateJson, writePrivateJson } from '../stack/private-file.js';

export interface DemoShop {
  readonly workspaceId: string;
  readonly siteId: string;
  readonly origin: string;
  readonly apiKey: string;
}

const ORIGIN = 'http://localhost:3000';
const HOURLY_LIMIT = 100_000_000;

/** The workspace, site and key of the last start when the product still knows them, otherwise new ones. */
export async function demoShop(file: string, baseUrl: string, installation: Installation): Promise<DemoShop> {
  const kept = readPrivateJson(file) as DemoShop | null;
  if (kept !== null && (await isKnown(baseUrl, kept))) return kept;
  const shop = await createShop(installation);
  await untilSiteIsKnown(baseUrl, shop.siteId, shop.origin);
  await untilKeyIsKnown(baseUrl, shop.apiKey);
  writePrivateJson(file, shop);
  return shop;
}

async function isKnown(baseUrl: string, shop: DemoShop): Promise<boolean> {
  return (await isSiteKnown(baseUrl, shop.siteId, shop.origin)) && (await isKeyKnown(baseUrl, shop.apiKey));
}

async function createShop({ kafkaBrokers, topicPrefix }: Installation): Promise<DemoShop> {
  const management = await ManagementClient.connect(kafkaBrokers, topicPrefix);
  try {
    const workspace = await management.createWorkspace({ name: 'Demo', owner_sub: 'demo-owner' });
    const site = await management.createSite({
      workspace_id: workspace.id,
      name: 'Demo shop',
      domain: 'localhost',
      allowed_origins: [ORIGIN],
      runtime_hourly_limit: HOURLY_LIMIT,
    });
    const { key } = await management.createApiKey({
      workspace_id: workspace.id,
      site_id: site.id,
      name: 'Demo key',
      scopes: SCOPES,
      hourly_limit: HOURLY_LIMIT,
    });
    return { workspaceId: workspace.id, siteId: site.id, origin: ORIGIN, apiKey: key };
  } finally {
    await management.close();
  }
}
