import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { CampaignResource, SiteResource } from '@truetally/contracts/management';
import type { Answer } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
const CONTENT = { layout: 'modal', title: 'Hello' };
const UUID_FORM = 'must be a UUID';

interface CampaignPage {
  readonly items: readonly CampaignResource[];
  readonly next_cursor: string | null;
}

describe('interface page, section 9: campaigns', () => {
  let product: Product;
  let merchant: Merchant;
  let outsider: Merchant;
  let siteId: string;

  beforeAll(async () => {
    product = await sharedProduct();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    siteId = await siteOf(merchant);
  });

  afterAll(() => product.stop());

  const siteOf = async (who: Merchant): Promise<string> =>
    (await who.post<SiteResource>('sites', SITE)).body.data?.id ?? '';
  const overlay = (fields: object = {}) => ({
    site_id: siteId,
    type: 'overlay',
    name: 'Welcome',
    content: CONTENT,
    ...fields,
  });

  const create = async (fields: object = {}): Promise<CampaignResource> => {
    const created = await merchant.post<CampaignResource>('campaigns', overlay(fields));
    expect([created.status, created.body.error]).toEqual([201, undefined]);
    return created.body.data as CampaignResource;
  };
  const patch = (id: string, body: object, headers = {}): Promise<Answer<CampaignResource>> =>
    merchant.patch(`campaigns/${id}`, body, headers);
  const detailsOf = (answer: Answer<unknown>) => [answer.status, answer.body.error?.details];

  it('campaigns are created as drafts without targeting or schedule, and are directly in data', async () => {
    const answer = await merchant.post<CampaignResource>('campaigns', overlay());
    expect([answer.status, answer.headers.get('etag')]).toEqual([201, '"1"']);
    const campaign = answer.body.data;
    expect(campaign).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: merchant.workspaceId,
      ...overlay(),
      status: 'draft',
      schedule: null,
      targeting: null,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: campaign?.created_at,
    });
    expect((await merchant.get(`campaigns/${campaign?.id}`)).body.data).toEqual(campaign);
  });

  it.each([
    [
      'overlay',
      {
        layout: 'corner',
        title: 'Which tea?',
        body: 'Five questions.',
        cta: { label: 'Start', url: 'https://shop.example/quiz' },
        trigger: { type: 'scroll', value: 40 },
        frequency_cap_hours: 24,
        quiz: {
          quiz_id: 'tea',
          questions: [
            { question_id: 'q1', text: 'Hot or cold?', answers: [{ answer_id: 'hot', text: 'Hot' }] },
          ],
          results: [{ result_id: 'green', text: 'Green tea' }],
        },
      },
    ],
    ['recommendation', { strategy: 'co_view', placement: 'cart', count: 4 }],
    [
      'chatbot',
      {
        greeting: 'Hello',
        answers: [{ keywords: ['delivery', 'when'], text: 'Tomorrow.' }],
        handover: { email: 'help@shop.example' },
      },
    ],
  ])('campaigns of type %s keep their content as it came', async (type, content) => {
    const schedule = { from: '2026-01-31T10:30:00+01:00', to: '2030-01-01T00:00:00Z' };
    const targeting = { page_url_contains: ['/cart'], languages: ['de', 'pt-BR'], device_types: ['mobile'] };
    const campaign = await create({ type, content, schedule, targeting, status: 'active' });
    expect(campaign).toMatchObject({
      type,
      status: 'active',
      schedule: { from: '2026-01-31T09:30:00.000Z', to: '2030-01-01T00:00:00.000Z' },
    });
    expect([campaign.targeting, campaign.content]).toEqual([targeting, content]);
  });

  it('name every broken rule at once, however deep, and unknown fields everywhere', async () => {
    const content = { ...CONTENT, cta: { label: 'Go', url: 'javascript:alert(1)' }, colour: 'red' };
    const answer = await merchant.post('campaigns', overlay({ content, targeting: { language: ['de'] } }));
    expect(detailsOf(answer)).toEqual([
      400,
      {
        'targeting.language': ['is not a known field'],
        'content.cta.url': ['must be an absolute http(s) URL'],
        'content.colour': ['is not a known field'],
      },
    ]);
  });

  it('belong to a site of the workspace: another one is 404, in bodies and filters too', async () => {
    const theirs = await siteOf(outsider);
    for (const site_id of [theirs, randomUUID()]) {
      expect((await merchant.post('campaigns', overlay({ site_id }))).status).toBe(404);
      expect((await merchant.get(`campaigns?site_id=${site_id}`)).status).toBe(404);
    }
    expect(detailsOf(await merchant.post('campaigns', overlay({ site_id: 'mine' })))).toEqual([
      400,
      { site_id: [`${UUID_FORM}; got 4 characters`] },
    ]);
  });

  describe('PATCH', () => {
    it('changes the given fields, also nested ones; null makes a field absent', async () => {
      const { id } = await create({
        content: { ...CONTENT, body: 'Text', cta: { label: 'Go', url: 'https://shop.example/' } },
        targeting: { languages: ['de'], device_types: ['mobile'] },
      });
      const changed = await patch(id, {
        status: 'active',
        targeting: { languages: null },
        content: { body: null, cta: { label: 'Buy' } },
      });
      expect([changed.status, changed.body.data]).toMatchObject([200, { status: 'active', version: 2 }]);
      expect(changed.body.data?.targeting).toEqual({ device_types: ['mobile'] });
      expect(changed.body.data?.content).toEqual({
        ...CONTENT,
        cta: { label: 'Buy', url: 'https://shop.example/' },
      });
      const plain = await patch(id, { targeting: null, status: null });
      expect(plain.body.data).toMatchObject({ targeting: null, status: 'draft', version: 3 });
    });

    it('changes neither type nor site', async () => {
      const { id } = await create();
      expect(detailsOf(await patch(id, { type: 'chatbot', site_id: randomUUID(), name: '' }))).toEqual([
        400,
        {
          type: ['cannot be changed'],
          site_id: ['cannot be changed'],
          name: ['must be a non-empty string of at most 120 characters; got an empty string'],
        },
      ]);
      const same = await patch(id, {
        type: 'overlay',
        site_id: siteId.toUpperCase(),
        content: { title: 'T' },
      });
      expect([same.status, same.body.data?.content]).toEqual([200, { layout: 'modal', title: 'T' }]);
    });

    it('a PATCH of a campaign may set any status after any other', async () => {
      const { id } = await create();
      const statuses = ['draft', 'active', 'paused', 'archived'];
      for (const from of statuses) {
        for (const status of statuses) {
          expect((await patch(id, { status: from })).status).toBe(200);
          expect((await patch(id, { status })).body.data?.status).toBe(status);
        }
      }
    });

    it('takes If-Match', async () => {
      const { id } = await create();
      expect((await patch(id, { name: 'A' }, { 'if-match': '"1"' })).status).toBe(200);
      expect(detailsOf(await patch(id, { name: 'B' }, { 'if-match': '"1"' }))).toEqual([
        409,
        { version: ['is stale: the current version is 2'] },
      ]);
    });
  });

  it('campaigns are deleted for everybody, once, unless the version is stale', async () => {
    const { id } = await create();
    expect((await merchant.delete(`campaigns/${id}`, { 'if-match': '"2"' })).status).toBe(409);
    const deleted = await merchant.delete(`campaigns/${id}`);
    expect([deleted.status, deleted.body.data]).toEqual([200, { id, deleted: true }]);
    for (const answer of [
      await merchant.get(`campaigns/${id}`),
      await patch(id, { name: 'x' }),
      await merchant.delete(`campaigns/${id}`),
    ]) {
      expect(answer.status).toBe(404);
    }
  });

  it('campaigns are 404 in another workspace, and wherever the id is none', async () => {
    const { id } = await create();
    for (const answer of [
      await outsider.get(`campaigns/${id}`),
      await outsider.patch(`campaigns/${id}`, { name: 'Mine' }),
      await outsider.delete(`campaigns/${id}`),
      await merchant.get(`campaigns/${randomUUID()}`),
      await merchant.get('campaigns/not-an-id'),
    ]) {
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await merchant.get(`campaigns/${id}`)).status).toBe(200);
  });

  it('campaigns are written by owners and admins, and read by analysts too', async () => {
    const { id } = await create();
    const [admin, analyst] = [await merchant.invite('admin'), await merchant.invite('analyst')];
    expect((await admin.post('campaigns', overlay())).status).toBe(201);
    expect((await analyst.get('campaigns')).status).toBe(200);
    expect((await analyst.get(`campaigns/${id}`)).status).toBe(200);
    for (const answer of [
      await analyst.post('campaigns', overlay()),
      await analyst.patch(`campaigns/${id}`, { name: 'x' }),
      await analyst.delete(`campaigns/${id}`),
    ]) {
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('campaigns are made once under an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await merchant.post<CampaignResource>('campaigns', overlay(), headers);
    const again = await merchant.post<CampaignResource>('campaigns', overlay(), headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body.data).toEqual(first.body.data);
    expect((await merchant.post('campaigns', overlay({ name: 'Other' }), headers)).status).toBe(409);
  });

  describe('lists', () => {
    let lister: Merchant;
    let sites: readonly string[];
    const names = async (query: string): Promise<readonly string[]> => {
      const page = await lister.get<CampaignPage>(`campaigns?${query}`);
      expect(page.status).toBe(200);
      return (page.body.data?.items ?? []).map(({ name }) => name);
    };

    beforeAll(async () => {
      lister = await Merchant.join(product);
      sites = [await siteOf(lister), await siteOf(lister)];
      const chatbot = { greeting: 'Hi', answers: [] };
      const campaigns = [
        overlay({ site_id: sites[0], name: '1', status: 'active' }),
        overlay({ site_id: sites[1], name: '2' }),
        overlay({ site_id: sites[0], name: '3', type: 'chatbot', content: chatbot }),
        overlay({ site_id: sites[0], name: '4', status: 'paused' }),
        overlay({ site_id: sites[1], name: '5', status: 'active' }),
      ];
      for (const campaign of campaigns) expect((await lister.post('campaigns', campaign)).status).toBe(201);
    });

    it('lists of campaigns are newest first, and filtered by site, type and status', async () => {
      expect(await names('')).toEqual(['5', '4', '3', '2', '1']);
      expect(await names(`site_id=${sites[0]}`)).toEqual(['4', '3', '1']);
      expect(await names(`site_id=${sites[0]?.toUpperCase()}&type=overlay`)).toEqual(['4', '1']);
      expect(await names('status=active')).toEqual(['5', '1']);
      expect(await names(`site_id=${sites[1]}&type=chatbot`)).toEqual([]);
    });

    it('come page by page, each once', async () => {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page: Answer<CampaignPage> = await lister.get(`campaigns?limit=2${after}`);
        seen.push(...(page.body.data?.items ?? []).map(({ name }) => name));
        cursor = page.body.data?.next_cursor ?? null;
      }
      expect(seen).toEqual(['5', '4', '3', '2', '1']);
    });

    it.each([
      ['site_id=1', { site_id: [`${UUID_FORM}; got 1 character`] }],
      ['type=popup', { type: ['must be one of overlay, recommendation, chatbot; got 5 characters'] }],
      [
        'status=live&limit=0',
        {
          status: ['must be one of draft, active, paused, archived; got 4 characters'],
          limit: [expect.stringContaining('must be a whole number from 1 to 200; got')],
        },
      ],
      ['type=overlay&type=chatbot', { type: ['must be given once'] }],
    ])('refuse %s', async (query, details) => {
      expect(detailsOf(await lister.get(`campaigns?${query}`))).toEqual([400, details]);
    });
  });
});
