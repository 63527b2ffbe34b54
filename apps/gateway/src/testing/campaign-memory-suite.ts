import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CampaignRecord, CAMPAIGN_RECORD } from '@truetally/contracts/facts';
import type { CampaignResource, SiteResource } from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
import { eventually, request } from '@truetally/testing';
import { type LaunchedProduct, openMessaging } from '@truetally/testing-product';
import { Merchant } from './merchant.js';

const ORIGIN = 'https://shop.example';
const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN] };
/** Some three hundred more than there is memory for: each is published once and read by every gateway. */
const CAMPAIGNS = 2_000;
const CAMPAIGNS_PER_SEND = 100;
const CONTENT_CHARACTERS = 60_000;

/** As in the manifests. */
export const OLD_SPACE_MIB = { gateway: 384 };

/** Needs gateways with that heap in processes of their own; leaves one more. */
export function whatCampaignsLeaveOut(launched: () => LaunchedProduct): void {
  describe('a topic of campaigns that exceed the memory of gateways', () => {
    let product: LaunchedProduct;
    let merchant: Merchant;
    let site: SiteResource;

    beforeAll(async () => {
      product = launched();
      merchant = await Merchant.join(product);
      site = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
      await publishCampaigns(product, CAMPAIGNS);
    });

    it.each([
      ['that runs', () => Promise.resolve(product.gateway)],
      ['that starts', () => product.addGateway()],
    ])(
      'leaves the last ones out of a gateway %s, which shows the others and answers',
      async (_how, gatewayOf) => {
        const gateway = await gatewayOf();
        const { bytes, leftOut } = await eventually(async () => {
          const read = await memoryOf(gateway.operationsPort);
          return (
            read.leftOut > 0 &&
            read.bytes + read.leftOut * CONTENT_CHARACTERS > CAMPAIGNS * CONTENT_CHARACTERS &&
            read
          );
        });
        expect(bytes).toBeLessThanOrEqual(96 * 1024 * 1024 + CAMPAIGNS * 256);
        expect(leftOut).toBeLessThan(CAMPAIGNS);
        const issued = await request<{ token: string }>(`${gateway.baseUrl}/runtime/tokens`, {
          json: { site_id: site.id },
          headers: { origin: ORIGIN },
        });
        const overlays = await request<{ items: readonly unknown[] }>(`${gateway.baseUrl}/public/overlays`, {
          headers: { origin: ORIGIN, authorization: `Bearer ${issued.body.data?.token ?? ''}` },
        });
        expect([overlays.status, overlays.body.data?.items]).toEqual([200, []]);
        expect(gateway.output()).toContain('Active campaigns exceed their memory; some are not shown.');
      },
    );

    it('delays no change of other campaigns', async () => {
      const content = { layout: 'modal', title: 'Hello' };
      const body = { site_id: site.id, type: 'overlay', name: 'Late', status: 'active', content };
      expect((await merchant.post<CampaignResource>('campaigns', body)).status).toBe(201);
    });
  });
}

/** Publishes active campaigns of 60 KB, one character of which needs two bytes, without regard to any quota. */
async function publishCampaigns({ installation }: LaunchedProduct, count: number): Promise<void> {
  const { kafkaBrokers, topicPrefix } = installation;
  const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'many-campaigns');
  try {
    for (let from = 0; from < count; from += CAMPAIGNS_PER_SEND) {
      await messaging.publish(Array.from({ length: CAMPAIGNS_PER_SEND }, campaignFact));
    }
  } finally {
    await messaging.close();
  }
}

function campaignFact() {
  const id = randomUUID();
  const record: CampaignRecord = {
    campaign_id: id,
    site_id: id,
    workspace_id: id,
    type: 'overlay',
    name: 'Large',
    status: 'active',
    schedule: { from: null, to: null },
    targeting: { page_url_contains: [], languages: [], device_types: [] },
    content: { layout: 'modal', title: 'T', body: `€${'x'.repeat(CONTENT_CHARACTERS)}` },
    version: 1,
    created_at: '2026-03-01T12:00:00.000Z',
  };
  return { topic: TOPICS.campaigns.name, key: id, value: CAMPAIGN_RECORD.encode(record) };
}

async function memoryOf(
  operationsPort: number,
): Promise<{ readonly bytes: number; readonly leftOut: number }> {
  const response = await fetch(`http://127.0.0.1:${operationsPort}/metrics`);
  const text = await response.text();
  const read = (name: string): number =>
    Number(new RegExp(`^truetally_${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { bytes: read('campaign_memory_bytes'), leftOut: read('campaigns_left_out') };
}
