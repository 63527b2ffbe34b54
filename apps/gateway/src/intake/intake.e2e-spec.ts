import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IntakeHour, SiteIntake } from '@truetally/contracts/events';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, untilHourLasts } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

const ORIGIN = 'https://shop.example';
const DAYS = 24;
/** For work of other processes, on however slow a machine. */
const PATIENT = { timeoutMs: 240_000 };

const event = (given: object = {}): object => ({
  event_type: 'page_view',
  session_id: 'session-1',
  client_event_id: randomUUID(),
  context: { page_url: `${ORIGIN}/`, user_agent: 'Mozilla/5.0' },
  ...given,
});

describe('interface page, sections 4 and 9: intake', () => {
  let product: Product;
  let owner: Merchant;

  beforeAll(async () => {
    product = await sharedProduct();
    owner = await Merchant.join(product);
  });

  afterAll(() => product.stop());

  async function openSite(fields: object = {}): Promise<SiteResource> {
    const created = await owner.post<SiteResource>('sites', {
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: [ORIGIN],
      ...fields,
    });
    if (created.body.data === undefined) throw new Error(created.text);
    return created.body.data;
  }

  function post(path: string, key: string, json: unknown): Promise<Answer<unknown>> {
    return request(`${product.baseUrl}/${path}`, { headers: { 'x-api-key': key }, json });
  }

  async function intakeOf({ id }: SiteResource, query = ''): Promise<SiteIntake> {
    const answer = await owner.get<SiteIntake>(`sites/${id}/intake${query}`);
    if (answer.body.data === undefined) throw new Error(answer.text);
    return answer.body.data;
  }

  function sumOf(
    hours: readonly IntakeHour[],
    name: 'received' | 'stored' | 'deduplicated' | 'failed',
  ): number {
    return hours.reduce((sum, hour) => sum + hour[name], 0);
  }

  /** Over all hours: an hour may end during the test. */
  function statusesOf(hours: readonly IntakeHour[]): Record<number, number> {
    const counts: Record<number, number> = {};
    for (const { status, count } of hours.flatMap((hour) => hour.refused_requests)) {
      counts[status] = (counts[status] ?? 0) + count;
    }
    return counts;
  }

  function reasonsOf(hours: readonly IntakeHour[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { code, field, count } of hours.flatMap((hour) => hour.reasons)) {
      const name = `${code} ${field}`;
      counts[name] = (counts[name] ?? 0) + count;
    }
    return counts;
  }

  it('every item is counted as stored, deduplicated or failed, and the failed ones by reason', async () => {
    const site = await openSite();
    const { key } = await product.createApiKey(site, { scopes: ['events:write'] });
    const first = event();
    const noProduct = event({ event_type: 'product_view', properties: {} });
    const answers = [
      await post('events/batch', key, { events: [first, first, noProduct, event({ session_id: '' })] }),
      await post('events/batch', key, { events: [noProduct, 'no event'] }),
      await post('events/track', key, noProduct),
      await post('events/track', key, event()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([207, 207, 400, 201]);
    await eventually(async () => sumOf((await intakeOf(site)).hours, 'received') === 8, PATIENT);
    const intake = await intakeOf(site);
    const { hours } = intake;
    expect(hours).toHaveLength(DAYS);
    expect([sumOf(hours, 'stored'), sumOf(hours, 'deduplicated'), sumOf(hours, 'failed')]).toEqual([2, 1, 5]);
    expect(hours.every(({ balanced }) => balanced)).toBe(true);
    expect(reasonsOf(hours)).toEqual({
      'VALIDATION_ERROR properties.product_id': 3,
      'VALIDATION_ERROR session_id': 1,
      'VALIDATION_ERROR body': 1,
    });
    const stored = answers[3]?.body.data as { readonly timestamp: string };
    expect(intake).toMatchObject({ site_id: site.id, timezone: 'UTC', last_event_at: stored.timestamp });
    expect(Date.parse(intake.last_refused_at ?? '')).toBeLessThanOrEqual(Date.parse(intake.as_of));
  });

  it('requests refused whole are counted by status, and their events are not received', async () => {
    const site = await openSite();
    const { key } = await product.createApiKey(site, { scopes: ['events:write'] });
    const { key: weak } = await product.createApiKey(site, { scopes: ['analytics:read'] });
    const { key: spent } = await product.createApiKey(site, { scopes: ['events:write'], hourly_limit: 1 });
    const { key: revoked, id } = await product.createApiKey(site, { scopes: ['events:write'] });
    const gone = await owner.delete(`sites/${site.id}/api-keys/${id}`);
    const before = statusesOf((await intakeOf(site)).hours)[400] ?? 0;
    const large = { events: [event({ properties: { text: 'x'.repeat(1_200_000) } })] };
    const answers = [
      gone,
      await post('events/batch', key, large),
      await post('events/batch', key, { events: 'none' }),
      await post('events/batch', spent, { events: [event(), event()] }),
      await post('events/track', weak, event()),
      await post('events/track', revoked, event()),
      await post('partner-attribution/conversions', weak, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 413, 400, 429, 401, 401, 403]);
    const token = await runtimeToken(site);
    const stray = await request(`${product.baseUrl}/events/track`, {
      headers: { authorization: `Bearer ${token}`, origin: 'https://stray.example' },
      json: event(),
    });
    // As a page's script asks: text needs no preflight, which would be answered for listed origins alone.
    const unlisted = await request(`${product.baseUrl}/runtime/tokens`, {
      headers: { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://listed-by-nobody.example' },
      body: JSON.stringify({ site_id: site.id }),
    });
    expect([stray.status, unlisted.status]).toEqual([401, 401]);
    expect(unlisted.headers.get('access-control-allow-origin')).toBeNull();
    await eventually(async () => {
      // Each is told by a message of its own, in any order.
      const counts = statusesOf((await intakeOf(site)).hours);
      const isTold = [413, 429, 403].every((status) => counts[status] === 1) && counts[401] === 4;
      return isTold && (counts[400] ?? 0) > before;
    }, PATIENT);
    const { hours, last_refused_at: refusedAt } = await intakeOf(site);
    expect(statusesOf(hours)).toMatchObject({ 401: 4, 403: 1, 413: 1, 429: 1 });
    expect(sumOf(hours, 'received')).toBe(0);
    expect(refusedAt).toEqual(expect.any(String));
  });

  async function runtimeToken({ id }: SiteResource): Promise<string> {
    const made = await request<{ readonly token: string }>(`${product.baseUrl}/runtime/tokens`, {
      headers: { origin: ORIGIN },
      json: { site_id: id },
    });
    return made.body.data?.token ?? '';
  }

  it('allowances are those of the headers: keys in force, runtime tokens, the workspace', async () => {
    await untilHourLasts();
    const site = await openSite({ runtime_hourly_limit: 50 });
    const { key, id, prefix } = await product.createApiKey(site, {
      scopes: ['events:write'],
      hourly_limit: 10,
    });
    const token = await runtimeToken(site);
    const sent = await post('events/batch', key, { events: [event(), event(), event()] });
    const page = await request(`${product.baseUrl}/events/track`, {
      headers: { authorization: `Bearer ${token}`, origin: ORIGIN },
      json: event(),
    });
    const answer = await owner.get<SiteIntake>(`sites/${site.id}/intake`);
    const allowances = answer.body.data?.allowances ?? [];
    const of = (named: { headers: Headers }, key_id: string | null) => ({
      limit: Number(named.headers.get('x-ratelimit-limit')),
      remaining: Number(named.headers.get('x-ratelimit-remaining')),
      resets_at: new Date(Number(named.headers.get('x-ratelimit-reset')) * 1_000).toISOString(),
      key_id,
    });
    const ofKey = allowances.find((one) => one.key_id === id);
    expect(ofKey).toMatchObject({ kind: 'api_key', prefix, used: 3, ...of(sent, id) });
    const [runtime, workspace] = allowances.slice(-2);
    expect(runtime).toMatchObject({ kind: 'runtime', prefix: null, used: 1, ...of(page, null) });
    expect(workspace).toMatchObject({ kind: 'workspace', prefix: null, ...of(answer, null) });
  });

  it('a window has every hour in it; a bad one is refused by the name of its field', async () => {
    const site = await openSite({ timezone: 'Europe/Berlin' });
    const { hours, timezone } = await intakeOf(site, '?from=2026-03-29&to=2026-03-30');
    expect([timezone, hours.length, hours[0]?.start]).toEqual([
      'Europe/Berlin',
      23,
      '2026-03-28T23:00:00.000Z',
    ]);
    expect(hours.every(({ received, balanced }) => received === 0 && balanced)).toBe(true);
    for (const [query, field] of [
      ['from=2026-03-29', 'to'],
      ['from=2026-03-30&to=2026-03-29', 'to'],
      ['from=2026-01-01&to=2026-03-29', 'to'],
      ['from=yesterday&to=2026-03-29', 'from'],
    ]) {
      const refused = await owner.get(`sites/${site.id}/intake?${query}`);
      expect([refused.status, Object.keys(refused.body.error?.details ?? {})]).toEqual([400, [field]]);
    }
  });

  it('members alone read it, of their own sites', async () => {
    const site = await openSite();
    const { key } = await product.createApiKey(site, { scopes: ['analytics:read'] });
    const analyst = await owner.invite('analyst');
    const stranger = await Merchant.join(product);
    const path = `sites/${site.id}/intake`;
    const byKey = await request(`${product.baseUrl}/${path}`, { headers: { 'x-api-key': key } });
    const statuses = [
      (await analyst.get(path)).status,
      (await stranger.get(path)).status,
      (await owner.get(`sites/${randomUUID()}/intake`)).status,
      (await owner.get('sites/none/intake')).status,
      byKey.status,
    ];
    expect(statuses).toEqual([200, 404, 404, 404, 401]);
  });
});
