import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { MemberRole } from '@truetally/contracts/facts';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName, untilHourLasts } from '@truetally/testing';
import { type Product, SHARED_DASHBOARD_ORIGIN, sharedProduct } from '@truetally/testing-product';

const ORIGIN = 'https://shop.example';
const DASHBOARD = SHARED_DASHBOARD_ORIGIN;
/** Prefix of the names of this file's users, because other files share the product. */
const RUN = uniqueName('members');
const HOURLY_LIMIT = 1_000_000;
const UNAUTHORIZED = [401, 'UNAUTHORIZED'];
const FORBIDDEN = [403, 'FORBIDDEN'];
const NOT_FOUND = [404, 'NOT_FOUND'];

type Headers = Record<string, string>;
type User = MemberRole | 'outsider' | 'nobody' | 'both';

describe('interface page, sections 2, 3 and 6: members of a workspace', () => {
  let product: Product;
  let workspaceId: string;
  let site: SiteResource;
  let otherWorkspaceId: string;
  let otherSite: SiteResource;
  const tokens = new Map<User, string>();

  beforeAll(async () => {
    product = await sharedProduct();
    [workspaceId, otherWorkspaceId] = await Promise.all([newWorkspace('owner'), newWorkspace('outsider')]);
    const members: readonly [string, User, MemberRole][] = [
      [workspaceId, 'admin', 'admin'],
      [workspaceId, 'analyst', 'analyst'],
      [workspaceId, 'both', 'analyst'],
      [otherWorkspaceId, 'both', 'owner'],
    ];
    for (const [workspace_id, user, role] of members) {
      await product.asks.addMember({ workspace_id, sub: sub(user), role });
    }
    [site, otherSite] = await Promise.all([newSite(workspaceId), newSite(otherWorkspaceId)]);
    for (const user of ['owner', 'admin', 'analyst', 'outsider', 'nobody', 'both'] as const) {
      tokens.set(user, await product.idToken({ sub: sub(user) }));
    }
    const both = { ...as('both'), 'x-workspace-id': otherWorkspaceId };
    await eventually(async () => (await routes['the touches'](as('analyst'))).status === 200);
    await eventually(async () => (await routes['the touches'](both, otherSite.id)).status === 200);
  });

  afterAll(() => product.stop());

  const sub = (user: User): string => `${RUN}|${user}`;
  const as = (user: User): Headers => ({ authorization: `Bearer ${tokens.get(user)}` });
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const newWorkspace = async (user: User, hourly_limit = HOURLY_LIMIT): Promise<string> =>
    (await product.asks.createWorkspace({ name: user, owner_sub: sub(user), hourly_limit })).id;
  const newSite = (workspace_id: string): Promise<SiteResource> =>
    product.asks.createSite({
      workspace_id,
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: [ORIGIN],
      partner: { providers: ['awin'] },
    });

  const url = (path: string): string => `${product.baseUrl}/partner-attribution/${path}`;
  const get = (path: string, headers: Headers): Promise<Answer<unknown>> => request(url(path), { headers });
  const rule = (website_id: string) => ({
    website_id,
    provider: 'awin',
    type: 'percentage',
    rate: 0.07,
    effective_from: '2026-01-01T00:00:00Z',
  });
  const routes = {
    'the touches': (headers: Headers, siteId = site.id) => get(`touches?website_id=${siteId}`, headers),
    'the rules': (headers: Headers, siteId = site.id) =>
      get(`commission-rules?website_id=${siteId}`, headers),
    'an order': (headers: Headers, siteId = site.id) => get(`orders/none?website_id=${siteId}`, headers),
    'a new rule': (headers: Headers, siteId = site.id): Promise<Answer<unknown>> =>
      request(url('commission-rules'), { json: rule(siteId), headers }),
  };
  const readTouches = (headers: Headers) => routes['the touches'](headers);
  const outcome = ({ status, body }: Answer<unknown>) =>
    body.error === undefined ? [status] : [status, body.error?.code];

  /** The answer of each route to each user: the complete table of permissions. */
  describe.each<[keyof typeof routes, Readonly<Record<User, unknown>>]>([
    [
      'the touches',
      { owner: [200], admin: [200], analyst: [200], outsider: NOT_FOUND, nobody: FORBIDDEN, both: [200] },
    ],
    [
      'the rules',
      { owner: [200], admin: [200], analyst: [200], outsider: NOT_FOUND, nobody: FORBIDDEN, both: [200] },
    ],
    [
      'an order',
      {
        owner: NOT_FOUND,
        admin: NOT_FOUND,
        analyst: NOT_FOUND,
        outsider: NOT_FOUND,
        nobody: FORBIDDEN,
        both: NOT_FOUND,
      },
    ],
    [
      'a new rule',
      {
        owner: [201],
        admin: [200],
        analyst: FORBIDDEN,
        outsider: NOT_FOUND,
        nobody: FORBIDDEN,
        both: FORBIDDEN,
      },
    ],
  ])('%s', (name, expected) => {
    it('a partner attribution route is for the members whose role permits it', async () => {
      for (const [user, answer] of Object.entries(expected) as [User, unknown][]) {
        const workspace: Headers = user === 'both' ? { 'x-workspace-id': workspaceId } : {};
        const asked = await routes[name]({ ...as(user), ...workspace });
        expect([user, outcome(asked)]).toEqual([user, answer]);
      }
    });

    it('a partner attribution route is 404 for members of other workspaces, and 401 without a credential', async () => {
      expect(outcome(await routes[name](as('owner'), otherSite.id))).toEqual(NOT_FOUND);
      expect(outcome(await routes[name](as('owner'), randomUUID()))).toEqual(NOT_FOUND);
      const refused = await routes[name]({});
      expect(outcome(refused)).toEqual(UNAUTHORIZED);
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    });

    it('asks a member of several workspaces which one', async () => {
      const nameless = await routes[name](as('both'));
      expect(outcome(nameless)).toEqual([400, 'VALIDATION_ERROR']);
      expect(nameless.body.error?.details).toEqual({ 'X-Workspace-Id': ['is required'] });
      const malformed = await routes[name]({ ...as('both'), 'x-workspace-id': 'mine' });
      expect(malformed.body.error?.details).toEqual({ 'X-Workspace-Id': ['must be a UUID'] });
      const foreign = await routes[name]({ ...as('owner'), 'x-workspace-id': otherWorkspaceId });
      expect(outcome(foreign)).toEqual(NOT_FOUND);
    });
  });

  it('a member picks the workspace, and with it the role', async () => {
    const asOwner = { ...as('both'), 'x-workspace-id': otherWorkspaceId };
    expect(outcome(await routes['a new rule'](asOwner, otherSite.id))).toEqual([201]);
    expect(outcome(await routes['a new rule'](asOwner))).toEqual(NOT_FOUND);
  });

  it('a member reads what was written', async () => {
    const { body } = await request<{ items: object[] }>(url(`commission-rules?website_id=${site.id}`), {
      headers: as('analyst'),
    });
    expect(body.data?.items).toEqual([expect.objectContaining({ website_id: site.id, provider: 'awin' })]);
  });

  it('counts all members of a workspace against its limit', async () => {
    await untilHourLasts();
    const left = ({ headers }: Answer<unknown>): number => Number(headers.get('x-ratelimit-remaining'));
    const first = await readTouches(as('owner'));
    expect(first.headers.get('x-ratelimit-limit')).toBe(String(HOURLY_LIMIT));
    expect(left(await readTouches(as('analyst')))).toBe(left(first) - 1);
    const refusedBody = await routes['the rules'](as('owner'), 'no-site');
    expect([refusedBody.status, left(refusedBody)]).toEqual([400, left(first) - 2]);
  });

  it('429 once the workspace has used its hour', async () => {
    await untilHourLasts();
    const user = { sub: `e2e|${randomUUID()}` };
    const { id } = await product.asks.createWorkspace({
      name: 'Small',
      owner_sub: user.sub,
      hourly_limit: 2,
    });
    const { id: siteId } = await newSite(id);
    const headers = bearer(await product.idToken(user));
    const answers: Answer<unknown>[] = [];
    const isLimited = ({ headers }: Answer<unknown>) => headers.get('x-ratelimit-limit') === '2';
    await eventually(async () => isLimited(await routes['the rules'](headers, siteId)));
    for (let n = 0; n < 3; n++) answers.push(await routes['the rules'](headers, siteId));
    const last = answers.at(-1);
    expect(last?.status).toBe(429);
    expect(last?.headers.get('x-ratelimit-limit')).toBe('2');
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('401 for the members of a suspended workspace, until it goes on', async () => {
    const owner = `e2e|${randomUUID()}`;
    const { id } = await product.asks.createWorkspace({ name: 'Short', owner_sub: owner });
    const { id: siteId } = await newSite(id);
    const headers = bearer(await product.idToken({ sub: owner }));
    const isAnswered = (status: number) =>
      eventually(async () => (await routes['the rules'](headers, siteId)).status === status);
    await isAnswered(200);
    await product.asks.administerWorkspace({ workspace_id: id, suspended: true });
    await isAnswered(401);
    await product.asks.administerWorkspace({ workspace_id: id, suspended: false });
    await isAnswered(200);
  });

  describe('the dashboard (CORS)', () => {
    const preflight = (path: string, method: string, origin: string) =>
      fetch(url(path), {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': method },
      });

    it.each([
      ['touches', 'GET'],
      ['orders/none', 'GET'],
      ['commission-rules', 'GET'],
      ['commission-rules', 'POST'],
    ])('the dashboard may call %s with %s', async (path, method) => {
      const { status, headers } = await preflight(path, method, DASHBOARD);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, DASHBOARD]);
      const allowed = headers.get('access-control-allow-headers')?.split(', ');
      for (const name of ['Authorization', 'X-Workspace-Id', 'Content-Type', 'If-Match', 'Idempotency-Key']) {
        expect(allowed).toContain(name);
      }
      expect(headers.get('access-control-allow-methods')).toContain(method);
    });

    it('reads answers and refusals; a page from elsewhere does not', async () => {
      const allowedOrigin = async (headers: Headers) =>
        (await readTouches(headers)).headers.get('access-control-allow-origin');
      expect(await allowedOrigin({ ...as('owner'), origin: DASHBOARD })).toBe(DASHBOARD);
      expect(await allowedOrigin({ origin: DASHBOARD })).toBe(DASHBOARD);
      expect(await allowedOrigin({ ...as('owner'), origin: 'https://evil.example' })).toBeNull();
      // A site lists this origin, which allows the storefront routes and not the merchant's.
      expect(await allowedOrigin({ ...as('owner'), origin: ORIGIN })).toBeNull();
      for (const [path, method] of [
        ['touches', 'GET'],
        ['commission-rules', 'POST'],
      ] as const) {
        const shop = await preflight(path, method, ORIGIN);
        expect(shop.headers.get('access-control-allow-origin')).toBeNull();
      }
      const foreign = await preflight('touches', 'GET', 'https://evil.example');
      expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    });

    it('the dashboard must not call routes without members', async () => {
      for (const path of ['conversions', 'touches']) {
        const { headers } = await preflight(path, 'POST', DASHBOARD);
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
      const shop = await preflight('touches', 'POST', ORIGIN);
      expect(shop.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    });
  });
});
