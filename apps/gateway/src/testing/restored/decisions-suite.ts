import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignResource, MemberResource, SiteResource } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/testing';
import { isKeyKnown, type LaunchedProduct } from '@truetally/testing-product';
import { DatabaseCopy, stopServices } from '../database-copy.js';
import { Merchant } from '../merchant.js';
import { SERVICES } from './requests-suite.js';

const ORIGIN = 'https://shop.example';
const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN] };

let product: LaunchedProduct;
let merchant: Merchant;
let copy: DatabaseCopy;

async function settingsOf(siteId: string): Promise<unknown> {
  const { rows } = await copy.owner.query<{ attribution_model: string }>(
    `select attribution_model from ${product.schema('attribution-ledger')}.site_settings where site_id = $1`,
    [siteId],
  );
  return rows[0]?.attribution_model;
}

async function overlaysAt(baseUrl: string, siteId: string): Promise<readonly string[]> {
  const issued = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
    json: { site_id: siteId },
    headers: { origin: ORIGIN },
  });
  const shown = await request<{ items: readonly { name: string }[] }>(`${baseUrl}/public/overlays`, {
    headers: { authorization: `Bearer ${issued.body.data?.token ?? ''}`, origin: ORIGIN },
  });
  return (shown.body.data?.items ?? []).map(({ name }) => name);
}

/** Whether this gateway lets the person create sites, which analysts may not. */
async function mayCreate(baseUrl: string, person: Merchant): Promise<boolean> {
  const headers = { authorization: `Bearer ${person.token}`, 'x-workspace-id': person.workspaceId };
  const { status } = await request(`${baseUrl}/sites`, { json: {}, headers });
  return status !== 403;
}

/** Needs the restored services apart from the gateway. */
export function whatIsDecidedAgain(launched: () => LaunchedProduct): void {
  describe('Postgres restored to an earlier point', () => {
    beforeAll(async () => {
      product = launched();
      merchant = await Merchant.join(product);
      copy = await DatabaseCopy.open(product, SERVICES);
    });

    afterAll(() => copy.close());

    it('decides again what every gateway and the ledger know', async () => {
      const site = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
      const scope = { workspace_id: site.workspace_id, site_id: site.id };
      const colleague = await merchant.invite('admin');
      const content = { layout: 'banner', title: 'Sale' };
      const campaign = (
        await merchant.post<CampaignResource>('campaigns', {
          site_id: site.id,
          type: 'overlay',
          name: 'Sale',
          status: 'active',
          content,
        })
      ).body.data as CampaignResource;
      const kept = await product.createApiKey(site);
      await eventually(async () => (await settingsOf(site.id)) === 'linear');
      await copy.take();

      await product.asks.updateApiKey({ ...scope, key_id: kept.id, name: 'Second' });
      await product.asks.updateApiKey({ ...scope, key_id: kept.id, name: 'Third' });
      const lost = await product.createApiKey(site);
      const partner = { providers: ['awin'], attribution_model: 'last_touch', lookback_days: 30 };
      expect((await merchant.patch(`sites/${site.id}`, { partner })).status).toBe(200);
      expect((await merchant.delete(`campaigns/${campaign.id}`)).status).toBe(200);
      const members = `workspaces/${site.workspace_id}/members`;
      const listed = await merchant.get<{ items: readonly MemberResource[] }>(members);
      const member = listed.body.data?.items.find(({ sub }) => sub === colleague.sub);
      expect((await merchant.patch(`${members}/${member?.id ?? ''}`, { role: 'analyst' })).status).toBe(200);
      const running = product.gateway;
      await eventually(async () => !(await mayCreate(running.baseUrl, colleague)));
      await eventually(async () => (await settingsOf(site.id)) === 'last_touch');

      await stopServices(product, SERVICES);
      await copy.restore();
      await product.addTogether(SERVICES);
      const started = await product.addGateway();
      for (const { baseUrl } of [running, started]) {
        await eventually(async () => !(await isKeyKnown(baseUrl, lost.key)), {
          message: 'the lost key to end',
        });
        await eventually(() => mayCreate(baseUrl, colleague), { message: 'the restored role' });
        await eventually(async () => (await overlaysAt(baseUrl, site.id)).includes('Sale'), {
          message: 'the restored campaign',
        });
        expect(await isKeyKnown(baseUrl, kept.key)).toBe(true);
      }
      await eventually(async () => (await settingsOf(site.id)) === 'linear', {
        message: 'the restored model',
      });

      await product.asks.revokeApiKey({ ...scope, key_id: kept.id });
      const later = await product.addGateway();
      for (const { baseUrl } of [running, started, later]) {
        await eventually(async () => !(await isKeyKnown(baseUrl, kept.key)), { message: 'the revocation' });
      }
      for (const gateway of [started, later]) {
        await gateway.stop();
        product.forget(gateway);
      }
    });
  });
}
