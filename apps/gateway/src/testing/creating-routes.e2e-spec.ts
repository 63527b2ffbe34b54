import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, request, uniqueName } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { ExperimentShop } from './experiment-shop.js';
import { fileForm, FORM_TYPE } from './form.js';
import { pictureFiles } from './pictures.js';

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly post?: { readonly parameters?: readonly object[]; readonly responses: object } }
    >
  >;
}

interface Made {
  readonly id?: string;
}

interface Creation {
  readonly path: string;
  readonly body: object | Buffer;
  readonly otherBody: object | Buffer;
}

/** Members of a first answer that a replay leaves out: they are shown once. */
const ONE_TIME = new Set(['key', 'secret']);
const DOCUMENT = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as Document;

/** What visitors and trusted backends send is the same by its own names: no key of a request is taken. */
const KNOWN_BY_CONTENT = [
  '/api/v1/events/batch',
  '/api/v1/events/track',
  '/api/v1/integrations/jobs/{type}',
  '/api/v1/partner-attribution/conversions',
  '/api/v1/partner-attribution/touches',
  '/api/v1/partner-experiments/assignments',
];
/** Each request is another one: a new token, a visitor's further form, a further import of the same people. */
const ALWAYS_NEW = ['/api/v1/profiles/import', '/api/v1/runtime/tokens', '/api/v1/submissions'];

describe('interface page, section 1: POSTs that create something', () => {
  let product: Product;
  let shop: ExperimentShop;
  let creations: Readonly<Record<string, Creation>>;

  beforeAll(async () => {
    product = await sharedProduct();
    shop = await ExperimentShop.open(product, { publisher_mode: 'active' });
    creations = await describeCreations();
  });

  afterAll(() => product.stop());

  async function made(path: string, body: object): Promise<string> {
    const { status, body: answered } = await shop.merchant.post<Made>(path, body);
    expect([status, answered.error]).toEqual([201, undefined]);
    return String(answered.data?.id);
  }

  /** By the route, as the document names it. */
  async function describeCreations(): Promise<Readonly<Record<string, Creation>>> {
    const site = { site_id: shop.site.id };
    const campaign = { ...site, type: 'overlay', name: 'Welcome', content: { layout: 'modal', title: 'Hi' } };
    const credentials = { publisher_id: '1', api_token: 'token' };
    const integration = { ...site, provider: 'awin', credentials, base_url: 'http://127.0.0.1:1' };
    const product = { ...site, product_id: randomUUID(), title: 'Shoe' };
    const workflow = {
      ...{ ...site, name: 'CRM', trigger: { event_types: ['purchase'] } },
      action: { type: 'webhook', url: 'https://crm.invalid/hook' },
    };
    const experiment = shop.body([await shop.campaign()]);
    const rule = {
      ...{ website_id: shop.site.id, provider: 'awin', type: 'percentage', rate: '0.05' },
      effective_from: '2025-01-01T00:00:00Z',
    };
    const [integrationId, workflowId] = [
      await made('integrations', { ...integration, provider: 'cj' }),
      await made('workflows', workflow),
    ];
    const key = { name: 'Backend', scopes: ['events:write'] };
    const newSite = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
    const member = { sub: uniqueName('member'), role: 'analyst' };
    const days = { from: '2026-01-01', to: '2026-02-01' };
    const named = (path: string, body: object, change: object, to = path) => ({
      [`/api/v1/${path}`]: { path: to, body, otherBody: { ...body, ...change } },
    });
    return {
      ...named('campaigns', campaign, { name: 'Other' }),
      ...named('integrations', integration, { credentials: { ...credentials, publisher_id: '2' } }),
      ...named(
        'integrations/{id}/settlements',
        { rows: [] },
        { rows: [{ status: 'pending' }] },
        `integrations/${integrationId}/settlements`,
      ),
      '/api/v1/media': {
        path: 'media',
        body: fileForm(pictureFiles.unique()),
        otherBody: fileForm(pictureFiles.unique()),
      },
      ...named(
        'partner-attribution/chain/verifications',
        { website_id: shop.site.id },
        { from_sequence: '2' },
      ),
      ...named('partner-attribution/commission-rules', rule, { effective_from: '2025-02-01T00:00:00Z' }),
      ...named('partner-experiments', experiment, { hypothesis: 'Other' }),
      ...named('products', product, { product_id: randomUUID() }),
      ...named('sites', newSite, { name: 'Other' }),
      ...named('sites/{site_id}/api-keys', key, { name: 'Other' }, `sites/${shop.site.id}/api-keys`),
      ...named('workflows', workflow, { name: 'Other' }),
      ...named(
        'workflows/{id}/deliveries/replay',
        days,
        { to: '2026-03-01' },
        `workflows/${workflowId}/deliveries/replay`,
      ),
      ...named(
        'workflows/{id}/test',
        { event_type: 'purchase' },
        { event_type: 'page_view' },
        `workflows/${workflowId}/test`,
      ),
      ...named('workspaces', { name: uniqueName('workspace') }, { name: 'Other' }),
      ...named(
        'workspaces/{workspace_id}/members',
        member,
        { sub: uniqueName('member') },
        `workspaces/${shop.merchant.workspaceId}/members`,
      ),
    };
  }

  function send(path: string, body: object | Buffer, key: string): Promise<Answer<Made>> {
    const headers = { 'idempotency-key': key };
    if (!Buffer.isBuffer(body)) return shop.merchant.post<Made>(path, body, headers);
    const { token, workspaceId } = shop.merchant;
    return request(`${product.baseUrl}/${path}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: {
        ...headers,
        ...{ authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId, 'content-type': FORM_TYPE },
      },
    });
  }

  const isReplayed = ({ headers }: Answer<Made>): boolean => headers.get('idempotent-replayed') === 'true';

  it('every POST that creates something takes an Idempotency-Key, or is known by its content, or is always new', () => {
    const creating = Object.entries(DOCUMENT.paths).flatMap(([path, { post }]) =>
      post !== undefined && ['201', '202'].some((status) => status in post.responses) ? [path] : [],
    );
    expect(creating.toSorted()).toEqual(
      [...Object.keys(creations), ...KNOWN_BY_CONTENT, ...ALWAYS_NEW].toSorted(),
    );
    const withKey = creating.filter((path) =>
      JSON.stringify(DOCUMENT.paths[path]?.post?.parameters).includes('Idempotency-Key'),
    );
    expect(withKey.toSorted()).toEqual(Object.keys(creations).toSorted());
  });

  it('every route with a key creates one thing for requests at once, repeats its answer, and refuses another body', async () => {
    const outcomes: Outcome[] = [];
    for (const [route, creation] of Object.entries(creations))
      outcomes.push(await outcomeOf(route, creation));
    expect(outcomes).toEqual(outcomes.map(({ route }) => ({ ...AS_DOCUMENTED, route })));
  });

  async function outcomeOf(route: string, { path, body, otherBody }: Creation): Promise<Outcome> {
    const key = randomUUID();
    // Of uploads a member has two at a time.
    const atOnce = await Promise.all([send(path, body, key), send(path, body, key)]);
    const done = atOnce.filter(({ status }) => status < 300);
    const firsts = done.filter((answer) => !isReplayed(answer));
    const again = await send(path, body, key);
    const other = await send(path, otherBody, key);
    return {
      route,
      firsts: firsts.length,
      refusals: atOnce.flatMap(({ status }) => (status < 300 || status === 409 ? [] : [status])),
      isRepeated: isReplayed(again) && again.status === firsts[0]?.status,
      isOne: [...done, again].every((answer) => shownBy(answer) === shownBy(firsts[0])),
      other: `${other.status} ${other.body.error?.code}`,
    };
  }
});

interface Outcome {
  readonly route: string;
  readonly firsts: number;
  readonly refusals: readonly number[];
  readonly isRepeated: boolean;
  readonly isOne: boolean;
  readonly other: string;
}

const AS_DOCUMENTED = { firsts: 1, refusals: [], isRepeated: true, isOne: true, other: '409 CONFLICT' };

function shownBy(answer: Answer<Made> | undefined): string {
  return JSON.stringify(answer?.body.data, (name, value: unknown) =>
    ONE_TIME.has(name) ? undefined : value,
  );
}
