import { beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import { eventually, newIssuerKeys, readIssuerKeys, request, writeIssuerKeys } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';

const OWNER = 'e2e|owner';

/** Needs gateways that have seen no ID token yet. */
export function whatAnIssuerIsNeededFor(launched: () => LaunchedProduct): void {
  describe('the issuer of ID tokens (interface page, section 2)', () => {
    let product: LaunchedProduct;
    let site: SiteResource;
    let apiKey: string;

    beforeAll(async () => {
      product = launched();
      const { id } = await product.asks.createWorkspace({ name: 'Merchant', owner_sub: OWNER });
      site = await product.asks.createSite({
        workspace_id: id,
        name: 'Shop',
        domain: 'shop.example',
        allowed_origins: ['https://shop.example'],
      });
      apiKey = (await product.createApiKey(site)).key;
    });

    const ask = (headers: Record<string, string>) =>
      request(`${product.baseUrl}/partner-attribution/touches?website_id=${site.id}`, { headers });
    const statusOf = async (token: string): Promise<number> =>
      (await ask({ authorization: `Bearer ${token}` })).status;
    const newToken = () => product.idToken({ sub: OWNER });

    it('the issuer is not needed to start, nor by API keys; a token that cannot be verified is 503', async () => {
      await product.issuer.stop();
      const refused = await ask({ authorization: `Bearer ${await newToken()}` });
      expect([refused.status, refused.body.error?.code]).toEqual([503, 'INTERNAL_ERROR']);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await ask({ 'x-api-key': apiKey })).status).toBe(200);
      expect(await statusOf(await product.idToken({ sub: OWNER, alg: 'none' }))).toBe(401);
    });

    it('back again, is asked within seconds', async () => {
      await product.issuer.restart();
      const token = await newToken();
      await eventually(async () => (await statusOf(token)) === 200);
    });

    it('away again, leaves tokens of its known keys good: those seen before and new ones', async () => {
      const seen = await newToken();
      await eventually(async () => (await statusOf(seen)) === 200);
      await product.issuer.stop();
      expect(await statusOf(seen)).toBe(200);
      expect(await statusOf(await product.idToken({ sub: OWNER, expiresInSeconds: 600 }))).toBe(200);
    });

    it('the issuer may rotate its keys: new tokens are taken within seconds, and earlier ones go on', async () => {
      const { keysFile } = product.installation.issuer;
      const before = readIssuerKeys(keysFile);
      const old = await newToken();
      writeIssuerKeys(keysFile, [...(await newIssuerKeys()), ...before]);
      await product.issuer.restart();
      const rotated = await newToken();
      await eventually(async () => (await statusOf(rotated)) === 200);
      expect(await statusOf(old)).toBe(200);
    });
  });
}
