import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { type DemoShop, demoShop } from './demo-shop.js';
import { mintDemoTokens } from './demo-tokens.js';

let product: Product;
let folder: string;

beforeAll(async () => {
  product = await sharedProduct();
  folder = mkdtempSync(join(tmpdir(), 'truetally-demo-'));
});

afterAll(async () => {
  await product.stop();
  rmSync(folder, { recursive: true });
});

const open = (): Promise<DemoShop> =>
  demoShop(join(folder, 'demo.json'), product.baseUrl, product.installation);

async function track({ apiKey }: DemoShop): Promise<number> {
  const json = {
    event_type: 'page_view',
    session_id: 's-1',
    client_event_id: randomUUID(),
    context: { page_url: 'https://shop.example/', user_agent: 'Firefox' },
  };
  const url = `${product.baseUrl}/events/track`;
  return (await request(url, { json, headers: { 'x-api-key': apiKey } })).status;
}

describe('the shop of npm start', () => {
  it('the demo shop is the same at every start', async () => {
    const first = await open();
    expect(await open()).toEqual(first);
    expect(await track(first)).toBe(201);
  });

  it('makes another site in the same workspace when the demo site was deleted', async () => {
    const first = await open();
    const { owner } = await mintDemoTokens(product.installation.issuer);
    // The demo's owner may have made further workspaces.
    const headers = { authorization: `Bearer ${owner}`, 'x-workspace-id': first.workspaceId };
    const deleted = await eventually(async () => {
      const answer = await request(`${product.baseUrl}/sites/${first.siteId}`, { method: 'DELETE', headers });
      return answer.status === 200 && answer;
    });
    expect(deleted.status).toBe(200);
    const again = await open();
    expect(again.workspaceId).toBe(first.workspaceId);
    expect(again.siteId).not.toBe(first.siteId);
    expect(await track(again)).toBe(201);
  });
});
