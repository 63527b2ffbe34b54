import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, untilHourLasts } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { queryProduct } from '../query-product.js';

const ORIGIN = 'https://shop.example';
const HOUR_SECONDS = 3_600;
/** In which a gateway starts, also where others take the processors. */
const START_MS = 120_000;

/** Leaves one more gateway. */
export function whatAnHourAllows(launched: () => LaunchedProduct): void {
  describe('interface page, section 3: rate limits', () => {
    let product: LaunchedProduct;
    let site: SiteResource;

    beforeAll(async () => {
      product = launched();
      site = await product.createSite({ allowed_origins: [ORIGIN] });
      // The counters restart with the hour, so that no test begins shortly before its end.
      const secondsLeft = HOUR_SECONDS - ((Date.now() / 1_000) % HOUR_SECONDS);
      if (secondsLeft < 30) await new Promise((resolve) => setTimeout(resolve, secondsLeft * 1_000 + 500));
    });

    const event = () => ({
      event_type: 'page_view',
      session_id: 'session-1',
      client_event_id: randomUUID(),
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
    });

    beforeEach(() => untilHourLasts());

    const newKey = async (hourly_limit: number): Promise<string> =>
      (await product.createApiKey(site, { hourly_limit })).key;

    function track(key: string, body: unknown = event(), gateway = 0): Promise<Answer<unknown>> {
      const baseUrl = product.gateways[gateway]?.baseUrl ?? '';
      return request(`${baseUrl}/events/track`, { json: body, headers: { 'x-api-key': key } });
    }

    function batch(key: string, size: number, gateway = 0): Promise<Answer<unknown>> {
      const events = Array.from({ length: size }, event);
      const baseUrl = product.gateways[gateway]?.baseUrl ?? '';
      return request(`${baseUrl}/events/batch`, { json: { events }, headers: { 'x-api-key': key } });
    }

    function limitsOf({ headers }: Answer<unknown>): string {
      return ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`)).join(' ');
    }

    it('200s and 429s alike carry X-RateLimit-Limit, -Remaining and -Reset in Unix seconds', async () => {
      const key = await newKey(2);
      const repeated = event();
      const answers = [await track(key, repeated), await track(key, repeated), await track(key)];
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 429]);
      expect(answers.map(limitsOf)).toEqual(['2 1', '2 0', '2 0']);
      const nextHour = (Math.floor(Date.now() / 1_000 / HOUR_SECONDS) + 1) * HOUR_SECONDS;
      for (const { headers } of answers) expect(Number(headers.get('x-ratelimit-reset'))).toBe(nextHour);
    });

    it('429 is RATE_LIMIT_EXCEEDED with a Retry-After that ends with the hour', async () => {
      const key = await newKey(1);
      const beganAt = Date.now() / 1_000;
      await track(key);
      for (const answer of [await track(key), await track(key)]) {
        expect(answer.status).toBe(429);
        expect(answer.body.error?.code).toBe('RATE_LIMIT_EXCEEDED');
        const [retryAfter = 0, reset = 0] = ['retry-after', 'x-ratelimit-reset'].map((name) =>
          Number(answer.headers.get(name)),
        );
        // In whole seconds; the gateway knows the hour's end as exactly as its own question took.
        const tookAtMost = Date.now() / 1_000 - beganAt;
        expect(Math.abs(reset - retryAfter - beganAt)).toBeLessThan(2 * tookAtMost + 2);
      }
    });

    it('a batch costs its number of events, and is admitted whole or refused whole, consuming nothing', async () => {
      const key = await newKey(10);
      expect(limitsOf(await batch(key, 7))).toBe('10 3');
      const refused = await batch(key, 4);
      expect([refused.status, limitsOf(refused)]).toEqual([429, '10 3']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const fitting = await batch(key, 3);
      expect([fitting.status, limitsOf(fitting)]).toEqual([201, '10 0']);
    });

    it('a batch that no hour of its limit can hold is told how many events it can', async () => {
      const key = await newKey(5);
      const refused = await batch(key, 6);
      expect([refused.status, limitsOf(refused), refused.body.error?.details]).toEqual([
        429,
        '5 5',
        { events: ['must be at most 5, the limit of an hour, in one request'] },
      ]);
      expect((await batch(key, 5)).status).toBe(201);
      expect((await batch(key, 5)).body.error?.details).toEqual({});
    });

    it('a request refused by validation costs 1', async () => {
      const key = await newKey(20);
      const wrong: (() => Promise<Answer<unknown>>)[] = [
        () => track(key, {}),
        () => batch(key, 0),
        () => batch(key, 101),
        () => post(key, '{"broken"', 'application/json'),
        () => post(key, '{}', 'text/html'),
        () => post(key, 'x'.repeat(1024 * 1024 + 1), 'application/json'),
        () => post(key, '{}', 'application/json', '?unknown=1'),
      ];
      let remaining = 20;
      for (const send of wrong) {
        const answer = await send();
        remaining -= 1;
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(limitsOf(answer)).toBe(`20 ${remaining}`);
      }
    });

    it('an exceeded limit is 429 before an invalid body is 400', async () => {
      const key = await newKey(1);
      await track(key);
      expect((await track(key, {})).status).toBe(429);
    });

    it('a request refused before authentication costs nothing', async () => {
      const count = async (): Promise<unknown> =>
        (await queryProduct(product, 'gateway', 'select sum(used) as used from hourly_usage'))[0];
      const before = await count();
      await request(`${product.baseUrl}/events/track`, { json: event() });
      await track(`ck_aaaaaaaa_${'a'.repeat(43)}`);
      expect(await count()).toEqual(before);
    });

    it('the hourly limit is exact over gateways: not one request more than the limit, not one less', async () => {
      const key = await newKey(40);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => track(key, event(), index % product.gateways.length)),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(40);
      expect(statuses.filter((status) => status === 429)).toHaveLength(60);
    });

    it('the hourly limit of runtime tokens is per site', async () => {
      const other = await product.createSite({ allowed_origins: [ORIGIN], runtime_hourly_limit: 3 });
      const headers = async (): Promise<Record<string, string>> => {
        const answer = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
          json: { site_id: other.id },
          headers: { origin: ORIGIN },
        });
        return { authorization: `Bearer ${answer.body.data?.token}`, origin: ORIGIN };
      };
      const statuses: number[] = [];
      for (let index = 0; index < 4; index += 1) {
        const answer = await request(`${product.baseUrl}/events/track`, {
          json: event(),
          headers: await headers(),
        });
        statuses.push(answer.status);
        expect(answer.headers.get('x-ratelimit-limit')).toBe('3');
      }
      expect(statuses).toEqual([201, 201, 201, 429]);
    });

    it('an hour survives its gateways: one that starts within it goes on with its count', async () => {
      await untilHourLasts(START_MS);
      const key = await newKey(3);
      await batch(key, 2);
      const started = product.gateways.indexOf(await product.addGateway());
      await eventually(async () => (await batch(key, 2, started)).status === 429);
      const last = await batch(key, 1, started);
      expect([last.status, limitsOf(last)]).toEqual([201, '3 0']);
    });

    it('a gateway without its counters answers 503 with Retry-After, lives, and goes on with them', async () => {
      const key = await newKey(100);
      const role = `${product.installation.rolePrefix}gateway`;
      await queryProduct(product, 'gateway', `alter role ${role} nologin`);
      await queryProduct(
        product,
        'gateway',
        'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1',
        [role],
      );
      const answer = await eventually(async () => {
        const tried = await track(key);
        return tried.status === 201 ? false : tried;
      });
      expect(answer.status).toBe(503);
      expect(answer.body.error?.code).toBe('INTERNAL_ERROR');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.text).not.toMatch(/role|login|postgres|select/i);
      await queryProduct(product, 'gateway', `alter role ${role} login`);
      await eventually(async () => (await track(key)).status === 201);
    });

    function post(key: string, body: string, type: string, query = ''): Promise<Answer<unknown>> {
      const headers = { 'x-api-key': key, 'content-type': type };
      return request(`${product.baseUrl}/events/track${query}`, { body, headers });
    }
  });
}
