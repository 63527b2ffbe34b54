import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErasedProfile, ErasureResource } from '@truetally/contracts/management';
import type { DeliveryResource } from '@truetally/contracts/outbound';
import type { Page } from '@truetally/contracts/resource';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { eventually } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { PeopleShop } from '../testing/people-shop.js';
import { queryProduct } from '../testing/query-product.js';
import { touch } from '../testing/touch-page.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';

const PAGE = readFileSync(new URL('../../../../docs/operations/erasure.md', import.meta.url), 'utf8');
const [, SECTION = ''] = PAGE.split('## What becomes of an erased person');
/** Columns that name a person, a session or a click, also by a hash, and those that hold what visitors and backends wrote. */
const PERSONAL =
  '(session_(id|key)|user_(id|key)|device_id|client_event_id|person_hash|email|phone|click_hash|reference_hash)|^(body|context|fields|properties|rows|response)$';
/** People of the merchant, who are no shop's customers. */
const OF_MEMBERS: readonly string[] = ['management.members'];

let product: Product;
let receiver: WebhookReceiver;
let shop: PeopleShop;

describe('interface page, section 9: erasing a person', () => {
  const mark = `mark${randomBytes(8).toString('hex')}`;
  const userId = `${mark}-user`;
  const sessionId = `${mark}-session`;
  const event = (changes: object) => ({
    event_type: 'page_view',
    session_id: sessionId,
    properties: { note: mark },
    context: { page_url: `https://shop.example/${mark}`, user_agent: 'Mozilla/5.0' },
    ...changes,
  });
  const click = {
    event_type: 'partner_link_click',
    user_id: userId,
    properties: {
      provider: 'awin',
      click_reference: `${mark}-reference`,
      destination_url: 'https://brand.example/',
    },
  };
  let erased: ErasedProfile;
  let before: readonly string[];

  const made = async (path: string, body: object): Promise<string> => {
    const answer = await shop.merchant.post<{ id: string }>(path, body);
    expect([answer.status, answer.body.error]).toEqual([201, undefined]);
    return String(answer.body.data?.id);
  };

  /** What makes other services keep something of the person: an experiment, and a workflow. @returns the workflow's path */
  async function watchThePerson(): Promise<string> {
    const experiment = await made('partner-experiments', {
      ...{ site_id: shop.siteId, name: 'With news', surface: 'overlay', campaign_ids: [shop.campaign.id] },
      ...{ eligibility: {}, minimum_detectable_effect: 0.1, baseline_rate: 0.1 },
    });
    await shop.merchant.post(`partner-experiments/${experiment}/start`, {});
    receiver.answer('crm', (response) => response.end(`noted ${mark}`));
    const workflow = await made('workflows', {
      site_id: shop.siteId,
      name: 'CRM',
      trigger: { event_types: ['page_view'] },
      action: { type: 'webhook', url: `${receiver.url}/crm` },
    });
    return `workflows/${workflow}/deliveries`;
  }

  /** The reply names what the endpoint has answered, and is kept. */
  async function sendAgain(path: string): Promise<void> {
    const delivered = await eventually(async () => {
      const found = await shop.merchant.get<Page<DeliveryResource>>(`${path}?status=delivered`);
      return found.body.data?.items[0];
    });
    const replayed = await shop.merchant.post<DeliveryResource>(`${path}/${delivered.id}/replay`, null, {
      'idempotency-key': randomUUID(),
    });
    expect(replayed.text).toContain(`noted ${mark}`);
  }

  /** Those of these tables with the mark, which is in every text that was sent of the person. */
  async function withMark(service: ServiceName, tables: readonly string[]): Promise<readonly string[]> {
    const rows = await queryProduct<{ name: string }>(
      product,
      service,
      tables
        .map(
          (name) => `select '${name}' as name where exists (
          select from ${name} as kept where strpos(kept::text, $1) > 0)`,
        )
        .join(' union all '),
      [mark],
    );
    return rows.map(({ name }) => `${service}.${name}`);
  }

  async function tablesWithMark(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const service of SERVICE_NAMES) {
      const tables = await queryProduct<{ name: string }>(
        product,
        service,
        `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
           and relkind in ('r', 'p') and not relispartition and relname !~ '^events_'`,
      );
      found.push(
        ...(await withMark(
          service,
          tables.map(({ name }) => name),
        )),
      );
    }
    return found.toSorted();
  }

  async function tablesWithColumns(pattern: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const service of SERVICE_NAMES) {
      const tables = await queryProduct<{ name: string }>(
        product,
        service,
        `select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
         where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
           and attnum > 0 and attname ~ $1 order by 1`,
        [pattern],
      );
      found.push(...tables.map(({ name }) => `${service}.${name}`));
    }
    return found;
  }

  beforeAll(async () => {
    receiver = await WebhookReceiver.open();
    product = await sharedProduct();
    shop = await PeopleShop.open(product);
    await shop.merchant.patch(`sites/${shop.siteId}`, { publisher_mode: 'active' });
    const deliveries = await watchThePerson();
    await shop.imported([{ user_id: userId, email: `${mark}@shop.example` }]);
    await shop.backend('POST', 'events/batch', {
      events: [
        event({ user_id: userId }),
        event({ client_event_id: `${mark}-before-sign-in` }),
        event({ client_event_id: `${mark}-before-sign-in` }),
        event({
          user_id: 'somebody else',
          context: { page_url: 'https://shop.example/', user_agent: 'x' },
          properties: {},
        }),
        event(click),
      ],
    });
    await shop.page('submissions', shop.submission({ session_id: sessionId, fields: { note: mark } }));
    await shop.page(
      'submissions',
      shop.submission({ fields: { email: ` ${mark.toUpperCase()}@shop.example` } }),
    );
    const touches = [{ ...touch(), touch_id: randomUUID(), session_id: sessionId, provider_click_id: mark }];
    expect((await shop.page('partner-attribution/touches', { touches })).status).toBe(201);
    await eventually(async () => {
      const assigned = await shop.page('partner-experiments/assignments', { session_id: sessionId });
      return assigned.status === 201;
    });
    // Every other request was answered after its rows were stored.
    await eventually(async () => (await withMark('attribution-ledger', ['touches'])).length > 0);
    await eventually(async () => {
      const sql = 'select from click_references join clicks using (event_id, site_id) where site_id = $1';
      return (await queryProduct(product, 'publisher-analytics', sql, [shop.siteId])).length > 0;
    });
    await sendAgain(deliveries);
    before = await tablesWithMark();
    const answer = await shop.merchant.delete<ErasedProfile>(shop.profilePath(userId));
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    erased = answer.body.data as ErasedProfile;
  });

  afterAll(async () => {
    receiver.close();
    await product.stop();
  });

  it('a person’s erasure answers the person’s id, a job and the proof, and their profile is 404 at once', async () => {
    expect(erased).toEqual({
      id: userId,
      deleted: true,
      job_id: expect.any(String),
      erasure_id: expect.any(String),
    });
    expect((await shop.merchant.get(shop.profilePath(userId))).status).toBe(404);
    expect((await shop.merchant.delete(shop.profilePath(userId))).status).toBe(404);
    const job = await shop.finished(erased.job_id);
    expect(job).toMatchObject({
      type: 'profile.erase',
      state: 'completed',
      cancellable: false,
      site_id: shop.siteId,
    });
  });

  it('nothing of an erased person is left in any table of any service', async () => {
    await shop.finished(erased.job_id);
    expect(before).toEqual(
      expect.arrayContaining([
        ...['experiments.assignments', 'ingestion.events', 'ingestion.trail_items', 'management.profiles'],
        ...[
          'management.submissions',
          'outbound.attempts',
          'outbound.deliveries',
          'outbound.facts',
          'outbound.idempotent_replies',
        ],
        'outbound.inbox',
      ]),
    );
    // What somebody else did in the same session names the session, and stays.
    expect(await tablesWithMark()).toEqual(['ingestion.events']);
    const left = await queryProduct<{ user_id: string }>(
      product,
      'ingestion',
      'select user_id from events as kept where strpos(kept::text, $1) > 0',
      [mark],
    );
    expect(left).toEqual([{ user_id: 'somebody else' }]);
  });

  it('the page about erasures says what becomes of every table that named an erased person', () => {
    expect(before.filter((table) => !SECTION.includes(`\`${table}\``))).toEqual([]);
  });

  it('the page about erasures says what becomes of every table with a column that names a shop’s person', async () => {
    const named = await tablesWithColumns(PERSONAL);
    expect(named).toEqual(
      expect.arrayContaining(['analytics.event_blocks', 'experiments.touches', 'ingestion.events']),
    );
    const missing = named.filter((table) => {
      const [, name = ''] = table.split('.');
      return !SECTION.includes(`\`${table}\``) && !SECTION.includes(`\`*.${name}\``);
    });
    expect(missing).toEqual([...OF_MEMBERS]);
  });

  it('what others did in the same session stays', async () => {
    await shop.finished(erased.job_id);
    const rows = await queryProduct<{ user_id: string }>(
      product,
      'ingestion',
      `select user_id from events where site_id = $1 and user_id = 'somebody else'`,
      [shop.siteId],
    );
    expect(rows).toEqual([{ user_id: 'somebody else' }]);
  });

  it('the proof of an erasure has what each service removed, and nothing of the person', async () => {
    await shop.finished(erased.job_id);
    const read = await shop.merchant.get<ErasureResource>(`profiles/erasures/${erased.erasure_id}`);
    const proof = read.body.data as ErasureResource;
    expect(proof).toMatchObject({
      id: erased.erasure_id,
      site_id: shop.siteId,
      requested_by: shop.merchant.sub,
    });
    expect(proof.finished_at).not.toBeNull();
    const removed = Object.fromEntries(proof.services.map((one) => [one.service, one.removed]));
    expect(proof.services.map(({ state }) => state)).toEqual(proof.services.map(() => 'confirmed'));
    expect(removed).toMatchObject({
      management: { profiles: 1, submissions: 2 },
      ingestion: { events: 3 },
      'attribution-ledger': { other: 1 },
      'publisher-analytics': { other: 1 },
    });
    expect(read.text).not.toContain(mark);
    const found = await shop.merchant.get<Page<ErasureResource>>(
      `profiles/erasures?site_id=${shop.siteId}&user_id=${encodeURIComponent(userId)}`,
    );
    expect(found.body.data?.items).toEqual([proof]);
    const other = await shop.merchant.get<Page<ErasureResource>>(`profiles/erasures?user_id=${randomUUID()}`);
    expect(other.body.data?.items).toEqual([]);
    expect((await shop.analyst.get('profiles/erasures')).status).toBe(403);
  });

  it('later events and imports of an erased person are refused, and nothing of them is stored', async () => {
    await shop.finished(erased.job_id);
    const single = await shop.backend('POST', 'events/track', event({ user_id: userId }));
    expect([single.status, single.body.error?.code]).toEqual([403, 'FORBIDDEN']);
    const batch = await shop.backend<{ results: readonly object[] }>('POST', 'events/batch', {
      events: [event({ user_id: userId }), event({ user_id: 'somebody new', properties: {} })],
    });
    expect([batch.status, batch.body.data]).toMatchObject([
      207,
      {
        ...{ stored: 1, deduplicated: 0, failed: 1 },
        results: [{ status: 'failed', error: { code: 'FORBIDDEN', retryable: false } }, { status: 'stored' }],
      },
    ]);
    const job = await shop.imported([{ user_id: userId, name: 'Back' }]);
    expect(job.errors).toEqual([{ row: 1, field: 'user_id', message: 'names a person who was erased' }]);
    expect((await shop.merchant.get(shop.profilePath(userId))).status).toBe(404);
  });

  it('a batch with a refused click stores the references of its other clicks alone', async () => {
    await shop.finished(erased.job_id);
    const clicks = [event(click), event({ ...click, user_id: 'somebody new' })];
    const batch = await shop.backend('POST', 'events/batch', { events: clicks });
    expect([batch.status, batch.body.data]).toMatchObject([207, { stored: 1, failed: 1 }]);
    const kept = await eventually(async () => {
      const rows = await queryProduct(
        product,
        'publisher-analytics',
        'select event_id from click_references where site_id = $1 and sealed is not null',
        [shop.siteId],
      );
      return rows.length > 0 && rows;
    });
    const { results } = batch.body.data as { results: readonly { event_id?: string }[] };
    expect(kept).toEqual([{ event_id: results[1]?.event_id }]);
  });
});
