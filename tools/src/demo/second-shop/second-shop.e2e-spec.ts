import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '@truetally/testing';
import { type Product, sharedProduct, untilMemberIsKnown } from '@truetally/testing-product';
import { openSecondShop } from './second-shop.js';
import { ownerHeaders } from './shop-client.js';
import { receiveWebhooks } from './webhook-receiver.js';

const SUBJECT = 'owner-of-the-second-shop';

let product: Product;
let workspaceId: string;
let siteId: string;
let headers: Readonly<Record<string, string>>;
const said: string[] = [];
const stopped = Promise.withResolvers<undefined>();

/** Items of a list. */
async function listed(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  type Page = { readonly items: readonly Readonly<Record<string, unknown>>[] };
  const answer = await request<Page>(`${product.baseUrl}/${path}`, { headers });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body.data?.items ?? [];
}

async function open(): Promise<string> {
  const ownerToken = await product.idToken({ sub: SUBJECT });
  headers = ownerHeaders({ ownerToken, workspaceId });
  const receiver = await receiveWebhooks(0, stopped.promise);
  return openSecondShop({
    baseUrl: product.baseUrl,
    workspaceId,
    ownerToken,
    installation: product.installation,
    receiver,
    say: (line) => void said.push(line),
  });
}

beforeAll(async () => {
  product = await sharedProduct();
  ({ id: workspaceId } = await product.asks.createWorkspace({
    name: 'Second shop',
    owner_sub: SUBJECT,
    hourly_limit: 1_000_000,
  }));
  // A gateway may know a new workspace some moments after its first answer about it.
  const site = await product.asks.createSite({
    workspace_id: workspaceId,
    name: 'First shop',
    domain: 'shop.example',
    allowed_origins: ['https://shop.example'],
  });
  await untilMemberIsKnown(product.baseUrl, await product.idToken({ sub: SUBJECT }), site.id, workspaceId);
  siteId = await open();
});

afterAll(async () => {
  stopped.resolve(undefined);
  await product.stop();
});

describe('the second shop of npm start', () => {
  it('the second shop has orders in three currencies, adjusted and cancelled ones, and one of three partners', async () => {
    const orders = await listed(`partner-attribution/orders?website_id=${siteId}&limit=200`);
    expect([...new Set(orders.map(({ currency }) => currency))].toSorted()).toEqual(['JPY', 'KWD', 'USD']);
    const states = new Set(orders.map(({ state }) => state));
    expect([...states].toSorted()).toEqual(['adjusted', 'cancelled', 'recorded']);
    expect(orders.find(({ order_id: id }) => id === 'NY-THREE')?.['partners']).toHaveLength(3);
  });

  it('the second shop has a workflow with a delivery that arrived and one that is dead', async () => {
    const [workflow] = await listed(`workflows?site_id=${siteId}`);
    const deliveries = await listed(`workflows/${String(workflow?.['id'])}/deliveries`);
    expect(deliveries.map(({ status }) => status)).toEqual(['dead', 'delivered']);
  });

  it('the second shop has experiments in three states, and the stopped one has a sample-ratio mismatch', async () => {
    const experiments = await listed(`partner-experiments?site_id=${siteId}`);
    expect(experiments.map(({ state }) => state)).toEqual(['stopped', 'running', 'draft']);
    const stoppedOne = String(experiments[0]?.['id']);
    const url = `${product.baseUrl}/partner-experiments/${stoppedOne}/results`;
    const results = await request<{ readonly sample_ratio: { readonly state: string } }>(url, { headers });
    expect(results.body.data?.sample_ratio.state).toBe('mismatch');
  });

  it('the second shop has keys of each kind, an invitation, submissions, an import with a bad row and settlements with a history', async () => {
    const keys = await listed(`sites/${siteId}/api-keys?limit=200`);
    expect(keys.filter((key) => key['revoked_at'] !== null)).not.toHaveLength(0);
    expect(keys.filter((key) => key['expires_at'] !== null).length).toBeGreaterThan(1);
    const members = await listed(`workspaces/${workspaceId}/members`);
    expect(members.map(({ membership }) => membership)).toContain('invited');
    expect(await listed(`submissions?site_id=${siteId}`)).toHaveLength(2);
    const jobs = await listed(`jobs?site_id=${siteId}&limit=200`);
    const failed = Object.fromEntries(jobs.map(({ type, failed: rows }) => [type, rows]));
    expect(failed).toMatchObject({ 'profiles.import': 1, 'ledger.verify': 0 });
    expect(await listed(`profiles/erasures?site_id=${siteId}`)).toHaveLength(1);
    const [integration] = await listed(`integrations?site_id=${siteId}`);
    const settlements = await listed(`integrations/${String(integration?.['id'])}/settlements?limit=200`);
    expect(new Set(settlements.map(({ status }) => status))).toEqual(
      new Set(['pending', 'approved', 'declined', 'reversed']),
    );
  });

  it('the lost events of the second shop are printed, and found by what is printed', async () => {
    const [, request] = /is refused \(400\), request ([\w-]+)/.exec(said.join('\n')) ?? [];
    const trail = await listed(`analytics/events/trail?site_id=${siteId}&request_id=${request}`);
    expect(trail.map(({ outcome }) => outcome)).toEqual(['refused']);
    const twice = await listed(`analytics/events/trail?site_id=${siteId}&client_event_id=sent-twice`);
    expect(twice.map(({ outcome }) => outcome).toSorted()).toEqual(['duplicate', 'stored']);
  });

  it('a second start finds the second shop', async () => {
    expect(await open()).toBe(siteId);
  });
});
