import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type SiteResource, type WorkspaceResource, DEFAULT_QUOTAS } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import { fromElsewhere, type Product, sharedProduct } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

const ORIGIN = 'https://shop.example';
const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN] };

interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

describe('interface page, sections 1, 2 and 9: workspaces', () => {
  let product: Product;
  let merchant: Merchant;
  let outsider: Merchant;

  beforeAll(async () => {
    product = await sharedProduct();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
  });

  afterAll(() => product.stop());

  /** A user with a valid token and without any membership. */
  const newcomer = async () => {
    const authorization = `Bearer ${await product.idToken({ sub: uniqueName('newcomer') })}`;
    return {
      post: (path: string, json: object, headers = {}): Promise<Answer<WorkspaceResource>> =>
        request(`${product.baseUrl}/${path}`, { json, headers: { authorization, ...headers } }),
      get: <T>(path: string, headers = {}): Promise<Answer<T>> =>
        request(`${product.baseUrl}/${path}`, { headers: { authorization, ...headers } }),
    };
  };

  it('workspaces are created with any valid ID token, and with nothing else', async () => {
    const user = await newcomer();
    expect((await user.get('sites')).status).toBe(403);
    expect((await user.get<Listed<WorkspaceResource>>('workspaces')).body.data).toEqual({
      items: [],
      next_cursor: null,
    });
    const made = await user.post('workspaces', { name: 'Mine' });
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Mine',
      suspended: false,
      hourly_limit: 10_000,
      quotas: DEFAULT_QUOTAS,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: made.body.data?.created_at,
    });
    // The very next request relies on it: its user is the owner of a single workspace.
    expect((await user.get('sites')).status).toBe(200);
    expect((await user.get('audit-log')).status).toBe(200);
    const listed = await user.get<Listed<WorkspaceResource>>('workspaces');
    expect(listed.body.data?.items).toEqual([{ ...made.body.data, role: 'owner', membership: 'accepted' }]);
  });

  it('ignore X-Workspace-Id where none or the path is meant', async () => {
    for (const picked of [outsider.workspaceId, randomUUID(), 'nonsense']) {
      const headers = { 'x-workspace-id': picked };
      expect((await merchant.get('workspaces', headers)).status).toBe(200);
      const read = await merchant.get<WorkspaceResource>(`workspaces/${merchant.workspaceId}`, headers);
      expect([read.status, read.body.data?.id]).toEqual([200, merchant.workspaceId]);
    }
  });

  it('count requests per user, with the largest limit of the user’s workspaces, at least 10,000', async () => {
    expect((await merchant.get('workspaces')).headers.get('x-ratelimit-limit')).toBe('1000000');
    const user = await newcomer();
    const answer = await user.get('workspaces');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('10000');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('9999');
  });

  it.each<[string, object, Readonly<Record<string, readonly string[]>>]>([
    ['no name', {}, { name: ['must be a non-empty string of at most 120 characters; got nothing'] }],
    [
      'white space',
      { name: '  ' },
      { name: ['must be a non-empty string of at most 120 characters; got white space'] },
    ],
    [
      'a long name, and what is not the merchant’s to say',
      { name: 'n'.repeat(121), suspended: false, hourly_limit: 1 },
      {
        name: ['must be a non-empty string of at most 120 characters; got 121 characters'],
        suspended: ['is not a known field'],
        hourly_limit: ['is not a known field'],
      },
    ],
  ])('workspaces with %s are refused', async (_name, body, details) => {
    const answer = await merchant.post('workspaces', body);
    expect([answer.status, answer.body.error?.code, answer.body.error?.details]).toEqual([
      400,
      'VALIDATION_ERROR',
      details,
    ]);
  });

  it('workspaces are listed newest first, page by page, and only one’s own', async () => {
    const user = await newcomer();
    const names = Array.from({ length: 5 }, (_, n) => `Workspace ${n}`);
    for (const name of names) expect((await user.post('workspaces', { name })).status).toBe(201);
    const listed: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: Answer<Listed<WorkspaceResource>> = await user.get(`workspaces?limit=2${query}`);
      listed.push(...(page.body.data?.items ?? []).map(({ name }) => name));
      cursor = page.body.data?.next_cursor ?? null;
    } while (cursor !== null);
    expect(listed).toEqual(names.toReversed());
  });

  it('workspaces are made once under an Idempotency-Key, which is the user’s own', async () => {
    const user = await newcomer();
    const headers = { 'idempotency-key': 'first-workspace' };
    const first = await user.post('workspaces', { name: 'Once' }, headers);
    const again = await user.post('workspaces', { name: 'Once' }, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body.data).toEqual(first.body.data);
    expect((await user.post('workspaces', { name: 'Other' }, headers)).status).toBe(409);
    const other = await (await newcomer()).post('workspaces', { name: 'Once' }, headers);
    expect([other.status, other.body.data?.id === first.body.data?.id]).toEqual([201, false]);
  });

  it('workspaces are renamed by owners and admins, under If-Match; analysts read', async () => {
    const [admin, analyst] = await Promise.all([merchant.invite('admin'), merchant.invite('analyst')]);
    const path = `workspaces/${merchant.workspaceId}`;
    const before = await analyst.get<WorkspaceResource>(path);
    const version = before.headers.get('etag') ?? '';
    const renamed = await admin.patch<WorkspaceResource>(path, { name: 'Renamed' }, { 'if-match': version });
    expect([renamed.status, renamed.body.data?.name]).toEqual([200, 'Renamed']);
    expect((await merchant.patch(path, { name: 'Again' }, { 'if-match': version })).body.error).toMatchObject(
      {
        code: 'CONFLICT',
        details: { version: [`is stale: the current version is ${renamed.body.data?.version}`] },
      },
    );
    expect((await analyst.patch(path, { name: 'Mine' })).body.error?.code).toBe('FORBIDDEN');
    expect((await merchant.patch(path, { name: null })).status).toBe(400);
    expect((await merchant.patch(path, { suspended: true })).status).toBe(400);
  });

  it('workspaces are 404 for non-members, and for invalid ids', async () => {
    for (const answer of [
      await outsider.get(`workspaces/${merchant.workspaceId}`),
      await outsider.patch(`workspaces/${merchant.workspaceId}`, { name: 'Mine' }),
      await (await newcomer()).get(`workspaces/${merchant.workspaceId}`),
      await merchant.get(`workspaces/${randomUUID()}`),
      await merchant.get('workspaces/not-an-id'),
      await merchant.get('workspaces/00000000-0000-0000-0000-000000000000'),
    ]) {
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await merchant.get(`workspaces/${merchant.workspaceId.toUpperCase()}`)).status).toBe(200);
  });

  describe('in the hands of the platform (section 11)', () => {
    const admin = <T>(path: string, json?: object, headers = {}): Promise<Answer<T>> =>
      request(`${product.adminUrl}/workspaces/${path}`, {
        ...(json === undefined ? {} : { json, method: 'PATCH' }),
        headers: { authorization: `Bearer ${product.adminSecret}`, ...headers },
      });

    it('workspaces suspended by the platform stop their keys, tokens and sites, and go on afterwards', async () => {
      const owner = await Merchant.join(product);
      const site = (await owner.post<SiteResource>('sites', SITE)).body.data as SiteResource;
      const { key } = await product.createApiKey(site);
      const statuses = async (): Promise<string> => {
        const headers = { 'x-api-key': key };
        const byKey = await request(`${product.baseUrl}/events/track`, { json: {}, headers });
        const json = { site_id: site.id };
        const bySite = await request(`${product.baseUrl}/runtime/tokens`, {
          json,
          headers: { origin: ORIGIN },
        });
        return [byKey.status, bySite.status, (await owner.get('sites')).status].join();
      };
      expect(await statuses()).toBe('400,201,200');
      const suspended = await admin<WorkspaceResource>(owner.workspaceId, { suspended: true });
      expect([suspended.status, suspended.body.data]).toMatchObject([200, { suspended: true, version: 3 }]);
      await eventually(async () => (await statuses()) === '401,401,401');
      // A member of suspended workspaces can still list them.
      const listed = await owner.get<Listed<WorkspaceResource>>('workspaces');
      expect(listed.body.data?.items).toMatchObject([{ suspended: true }]);
      await admin(owner.workspaceId, { suspended: false });
      await eventually(async () => (await statuses()) === '400,201,200');
    });

    it('get another hourly limit, which their members feel', async () => {
      const owner = await Merchant.join(product);
      const changed = await admin<WorkspaceResource>(owner.workspaceId, { hourly_limit: 4_321 });
      expect(changed.body.data).toMatchObject({ hourly_limit: 4_321, suspended: false });
      const limit = async () => (await owner.get('sites')).headers.get('x-ratelimit-limit');
      await eventually(async () => (await limit()) === '4321');
      expect((await admin<WorkspaceResource>(owner.workspaceId)).body.data).toEqual(changed.body.data);
      const usual = await admin<WorkspaceResource>(owner.workspaceId, { hourly_limit: null });
      expect(usual.body.data).toMatchObject({ hourly_limit: 10_000 });
    });

    it('suspensions of workspaces are refused with invalid bodies, stale versions and unknown ids', async () => {
      const bad = await admin(merchant.workspaceId, { suspended: 'yes', hourly_limit: 0, name: 'x' });
      expect([bad.status, bad.body.error?.details]).toEqual([
        400,
        {
          suspended: ['must be true or false; got 3 characters'],
          hourly_limit: ['must be a whole number from 1 to 100000000; got another number'],
          name: ['is not a known field'],
        },
      ]);
      expect((await admin(merchant.workspaceId, { suspended: true }, { 'if-match': '"999"' })).status).toBe(
        409,
      );
      expect((await admin(randomUUID())).status).toBe(404);
      expect((await admin('not-an-id', { suspended: true })).status).toBe(404);
      expect((await admin(merchant.workspaceId, {}, { 'content-type': 'text/plain' })).status).toBe(415);
    });

    it('require the admin secret, and refuse browsers', async () => {
      const path = `${product.adminUrl}/workspaces/${merchant.workspaceId}`;
      const headers = { authorization: `Bearer ${merchant.token}`, ...fromElsewhere() };
      expect((await request(path, { headers })).status).toBe(401);
      expect((await request(path)).status).toBe(401);
      expect((await admin(merchant.workspaceId, { suspended: true }, { origin: ORIGIN })).status).toBe(403);
    });
  });
});
