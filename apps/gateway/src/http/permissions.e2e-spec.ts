import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { MEMBER_ROLES } from '@truetally/contracts/facts';
import { type MemberResource, type SiteResource } from '@truetally/contracts/management';
import { type Answer, request, uniqueName } from '@truetally/testing';
import { fromElsewhere, type Product, sharedProduct } from '@truetally/testing-product';
import { CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import { Merchant } from '../testing/merchant.js';
import { applicationRoutes } from '../testing/application-routes.js';
import type { Route } from './exchange.js';
import { isCallerRule } from './route-rules.js';

type Headers = Readonly<Record<string, string>>;
type Verdict = 'passes' | number | readonly number[];

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
const CAMPAIGN = { type: 'overlay', name: 'Welcome', content: { layout: 'banner', title: 'Welcome' } };
const EXPERIMENT = {
  name: 'Welcome',
  surface: 'overlay',
  minimum_detectable_effect: 0.1,
  baseline_rate: 0.1,
};
const INTEGRATION = { provider: 'awin', credentials: { publisher_id: '1', api_token: 'of-the-merchant' } };
/** No resource has reached this version, so that admitted requests change nothing. */
const NEVER_A_VERSION = '"999999999"';
const REFUSALS = [401, 403];
/**
 * Some routes validate the body before they look up the path's ids: neither reveals whether these exist
 * elsewhere.
 */
const NOTHING_THERE = [400, 404, 415];

/**
 * Every route that the application declares, with every kind of caller. The expected answers follow from the
 * route's rule and from `CREDENTIAL_DEMANDS`, the only table of permissions, so that a new route is tested
 * automatically.
 */
describe('interface page, section 9: permissions on every route', () => {
  let product: Product;
  let routes: readonly Route[];
  let owner: Merchant;
  let callers: Readonly<
    Record<string, { readonly headers: Headers; readonly verdict: (route: Route) => Verdict }>
  >;
  /** Existing resources of the workspace, by their paths. */
  let existing: ReadonlyMap<string, string>;

  beforeAll(async () => {
    product = await sharedProduct();
    ({ routes } = await applicationRoutes());
    owner = await Merchant.join(product);
    const [admin, analyst, outsider] = await Promise.all([
      owner.invite('admin'),
      owner.invite('analyst'),
      Merchant.join(product),
    ]);
    const site = (await owner.post<SiteResource>('sites', SITE)).body.data as SiteResource;
    const key = await product.createApiKey(site);
    const members = await owner.get<{ items: MemberResource[] }>(`workspaces/${owner.workspaceId}/members`);
    const made = async (path: string, body: object): Promise<string> =>
      String((await owner.post<{ id: string }>(path, { site_id: site.id, ...body })).body.data?.id);
    const campaignId = await made('campaigns', CAMPAIGN);
    existing = new Map([
      ['campaigns/:campaign_id', campaignId],
      [
        'partner-experiments/:experiment_id',
        await made('partner-experiments', { ...EXPERIMENT, campaign_ids: [campaignId] }),
      ],
      ['products/:id', await made('products', { product_id: 'shoe', title: 'Shoe' })],
      ['integrations/:id', await made('integrations', INTEGRATION)],
      ['workspaces/:workspace_id', owner.workspaceId],
      // Their own membership, which analysts may end, too.
      [
        'workspaces/:workspace_id/members/:member_id',
        String(members.body.data?.items.find(({ sub }) => sub === analyst.sub)?.id),
      ],
      ['sites/:site_id', site.id],
      ['sites/:site_id/api-keys/:key_id', key.id],
    ]);
    const bearer = (token: string, workspaceId?: string): Headers => ({
      authorization: `Bearer ${token}`,
      ...(workspaceId === undefined ? {} : { 'x-workspace-id': workspaceId }),
    });
    const people = { owner, admin, analyst };
    callers = {
      'nobody at all': { headers: {}, verdict: () => 401 },
      ...Object.fromEntries(
        MEMBER_ROLES.map((role) => [
          role,
          {
            headers: bearer(people[role].token, owner.workspaceId),
            verdict: ofUser(({ roles }) => (roles.includes(role) ? 'passes' : 403)),
          },
        ]),
      ),
      'an outsider who names the workspace': {
        headers: bearer(outsider.token, owner.workspaceId),
        verdict: ofUser(() => 404),
      },
      'an outsider in a workspace of its own': {
        headers: bearer(outsider.token),
        verdict: ofUser(({ workspace }, { path }) =>
          workspace === 'of-path' ? 404 : path.includes('/:') ? NOTHING_THERE : 'passes',
        ),
      },
      'a user of no workspace': {
        headers: bearer(await product.idToken({ sub: uniqueName('nobody') })),
        verdict: ofUser(({ workspace }) => (workspace === 'of-path' ? 404 : 403)),
      },
      'a forged token': { headers: bearer(`${owner.token.slice(0, -8)}AAAAAAAA`), verdict: () => 401 },
      'an API key with every scope': {
        headers: { 'x-api-key': key.key },
        verdict: ({ credential }) => (isCallerRule(credential) ? ofKey(CREDENTIAL_DEMANDS[credential]) : 401),
      },
      'the platform': {
        headers: bearer(product.adminSecret),
        verdict: ({ credential }) => (credential === 'admin' ? 'passes' : 401),
      },
    };
  });

  afterAll(() => product.stop());

  type Demand = (typeof CREDENTIAL_DEMANDS)[keyof typeof CREDENTIAL_DEMANDS];

  /** With a valid token: 401 on routes without ID tokens, and success for any user on routes without a workspace. */
  function ofUser(within: (demand: Demand, route: Route) => Verdict): (route: Route) => Verdict {
    return (route) => {
      if (!isCallerRule(route.credential)) return 401;
      const demand = CREDENTIAL_DEMANDS[route.credential];
      if (demand.bearer !== 'id-token') return 401;
      return demand.workspace === 'none' ? 'passes' : within(demand, route);
    };
  }

  function ofKey({ scope, forbidsKeys }: Demand): Verdict {
    if (forbidsKeys === true) return 403;
    return scope === null ? 401 : 'passes';
  }

  function send({ method, path }: Route, headers: Headers): Promise<Answer<unknown>> {
    const isBodiless = method === 'GET' || method === 'DELETE';
    return request(`${new URL(product.baseUrl).origin}${filled(path)}`, {
      method,
      ...(isBodiless ? {} : { json: {} }),
      headers: { 'if-match': NEVER_A_VERSION, ...fromElsewhere(), ...headers },
    });
  }

  /** The path with ids of existing resources, or with unknown ids where this test has none. */
  function filled(path: string): string {
    const segments = path.split('/');
    return segments
      .map((segment, index) => {
        if (!segment.startsWith(':')) return segment;
        const way = segments
          .slice(0, index + 1)
          .join('/')
          .replace(/^\/api\/(v1|admin)\//, '');
        return existing.get(way) ?? randomUUID();
      })
      .join('/');
  }

  function isAs(verdict: Verdict, status: number): boolean {
    if (verdict === 'passes') return !REFUSALS.includes(status) && status < 500;
    return typeof verdict === 'number' ? status === verdict : verdict.includes(status);
  }

  it.each([
    'nobody at all',
    ...MEMBER_ROLES,
    'an outsider who names the workspace',
    'an outsider in a workspace of its own',
    'a user of no workspace',
    'a forged token',
    'an API key with every scope',
    'the platform',
  ])('%s', async (name) => {
    const caller = callers[name];
    if (caller === undefined) throw new Error(`There is no caller ${name}.`);
    const asked = routes.filter(({ credential }) => credential !== 'public');
    const surprises: string[] = [];
    const ask = async (route: Route): Promise<void> => {
      const verdict = caller.verdict(route);
      const { status } = await send(route, caller.headers);
      if (!isAs(verdict, status)) {
        surprises.push(`${route.method} ${route.path}: ${status} instead of ${String(verdict)}`);
      }
    };
    // Concurrently: each attempt with a wrong admin secret is delayed.
    const slowed = asked.filter(({ credential }) => credential === 'admin').map(ask);
    for (const route of asked.filter(({ credential }) => credential !== 'admin')) await ask(route);
    await Promise.all(slowed);
    expect(surprises).toEqual([]);
  });

  it('no refused request changes a row', async () => {
    for (const [path, id] of existing)
      expect([path, id]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const site = await owner.get<SiteResource>(`sites/${existing.get('sites/:site_id')}`);
    expect([site.status, site.body.data?.version]).toEqual([200, 1]);
    const log = await owner.get<{ items: { action: string }[] }>('audit-log');
    const actions = new Set(log.body.data?.items.map(({ action }) => action));
    // Entries from before: by the owner, by the platform, and by the invited members.
    expect(actions).toEqual(new Set(['create', 'update', 'accept']));
    expect((await owner.get(`workspaces/${owner.workspaceId}`)).status).toBe(200);
  });
});
