import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { NO_WORKSPACE } from '@truetally/contracts/management';
import { untilHourLasts } from '@truetally/testing';
import { CREDENTIAL_DEMANDS } from '../../credentials/credential-demand.js';
import { traitsOf } from '../../describe-api/route-traits.js';
import type { RouteRules } from '../../http/exchange.js';
import { isCallerRule } from '../../http/route-rules.js';
import { ExperimentShop } from '../experiment-shop.js';
import type { Merchant } from '../merchant.js';
import { nameOf } from './answer-schemas.js';
import { type AnswerWalk, membersHeaders, pageHeaders, type Sending } from './answer-walk.js';

/** Every kind of refusal that a route can give, of every route. */
export function refusals(walk: () => AnswerWalk): void {
  describe('refusals', () => {
    let shop: ExperimentShop;
    let analyst: Merchant;

    beforeAll(async () => {
      shop = await ExperimentShop.open(walk().product);
      analyst = await shop.merchant.invite('analyst');
    });

    const routes = (): readonly RouteRules[] => walk().schemas.routes;

    /** The credential that the route requires, with every permission. */
    function credentialOf({ credential }: RouteRules): Readonly<Record<string, string>> {
      if (credential === 'admin') return { authorization: `Bearer ${walk().product.adminSecret}` };
      if (credential === 'listed-page') return { origin: pageHeaders(shop).origin };
      if (!isCallerRule(credential)) return {};
      const { bearer } = CREDENTIAL_DEMANDS[credential];
      if (bearer === 'id-token') return membersHeaders(shop.merchant);
      return bearer === 'runtime-token' ? pageHeaders(shop) : { 'x-api-key': shop.key };
    }

    const refused = async (route: RouteRules, sending: Sending, more = ''): Promise<number> => {
      const path = pathOf(route, shop.merchant.workspaceId) + more;
      const { status } = await walk().send(route.method, path, sending);
      return status;
    };

    async function each(
      of: (route: RouteRules) => boolean,
      status: number | readonly number[],
      send: (route: RouteRules) => Promise<number>,
    ): Promise<void> {
      const chosen = routes().filter(of);
      expect(chosen.length).toBeGreaterThan(0);
      for (const route of chosen) {
        const answered = await send(route);
        expect({ route: nameOf(route), isRefused: [status].flat().includes(answered), answered }).toEqual({
          route: nameOf(route),
          isRefused: true,
          answered,
        });
      }
    }

    it('401 without a credential', () =>
      each(
        ({ credential }) => credential !== 'public',
        401,
        (route) => refused(route, bodyOf(route, {})),
      ));

    it('400 for an unknown query parameter', () =>
      each(
        () => true,
        400,
        (route) => refused(route, { ...bodyOf(route, {}), headers: credentialOf(route) }, '?unknown_one=1'),
      ));

    it('400 for a body that is not JSON, or no object', () =>
      each(takesJson, [400, 404], async (route) => {
        const headers = { 'content-type': 'application/json', ...credentialOf(route) };
        const statuses = [
          await refused(route, { headers, body: '{' }),
          await refused(route, { headers, body: '[1]' }),
        ];
        // A missing resource of a `PATCH` is reported before errors of the body.
        expect(statuses[0]).toBe(400);
        return Math.max(...statuses);
      }));

    it('400 for an unknown field, where the document has no room for it', () =>
      each(
        (route) => takesJson(route) && route.method === 'POST' && traitsOf(route).isManaging,
        [400, 404],
        async (route) => {
          const path = pathOf(route, shop.merchant.workspaceId);
          const sending = { headers: credentialOf(route), json: { unknown_one: 1 } };
          const { status, details } = await walk().send(route.method, path, sending);
          if (status === 400) expect(details).toHaveProperty('unknown_one');
          return status;
        },
      ));

    it('400 for a query without a required parameter', () =>
      each(
        ({ knownQuery }) => [...knownQuery.values()].some(({ isRequired }) => isRequired === true),
        400,
        (route) => refused(route, { headers: credentialOf(route) }),
      ));

    it('U+0000 in a parameter of a query is refused, or finds nothing', () =>
      each(
        ({ method, knownQuery }) => method === 'GET' && knownQuery.size > 0,
        [200, 400, 404, 409],
        async (route) => {
          const statuses = [];
          for (const name of route.knownQuery.keys()) {
            const site = ['site_id', 'website_id'].filter((one) => route.knownQuery.has(one));
            const query = new URLSearchParams(site.map((one): [string, string] => [one, shop.site.id]));
            query.set(name, '\0');
            statuses.push(await refused(route, { headers: credentialOf(route) }, `?${query}`));
          }
          return Math.max(...statuses);
        },
      ));

    it('413 for one that is too large, and 415 for another type', () =>
      each(takesJson, 415, async (route) => {
        const most = route.body?.limitBytes ?? 0;
        const headers = credentialOf(route);
        const large = JSON.stringify({ filled: 'x'.repeat(most) });
        const sending = { headers: { 'content-type': 'application/json', ...headers }, body: large };
        expect(await refused(route, sending)).toBe(413);
        return refused(route, { headers: { 'content-type': 'text/xml', ...headers }, body: '<x/>' });
      }));

    it('403 for an analyst where only others write', () =>
      each(
        ({ credential }) =>
          isCallerRule(credential) &&
          CREDENTIAL_DEMANDS[credential].roles.length > 0 &&
          !CREDENTIAL_DEMANDS[credential].roles.includes('analyst'),
        403,
        (route) => refused(route, { ...bodyOf(route, {}), headers: membersHeaders(analyst) }),
      ));

    it('404 for unknown ids, and in an unknown workspace', async () => {
      await each(
        ({ path, method, body, receives }) =>
          path.includes('/:') && (method === 'GET' || (body === undefined && receives === undefined)),
        [400, 404],
        async (route) => {
          const path = pathOf(route, UNKNOWN_ID) + requiredQuery(route, shop.site.id);
          return (await walk().send(route.method, path, { headers: credentialOf(route) })).status;
        },
      );
      await each(
        ({ credential }) =>
          isCallerRule(credential) &&
          CREDENTIAL_DEMANDS[credential].bearer === 'id-token' &&
          CREDENTIAL_DEMANDS[credential].workspace === 'picked',
        404,
        (route) => {
          const headers = { ...membersHeaders(shop.merchant), 'x-workspace-id': NO_WORKSPACE };
          return refused(route, { ...bodyOf(route, {}), headers });
        },
      );
    });

    it('409 for a stale version, and for a key of another request', async () => {
      const { id } = await walk().succeed('POST', 'products', {
        headers: membersHeaders(shop.merchant),
        json: { site_id: shop.site.id, product_id: randomUUID(), title: 'Cup' },
      });
      const stale = { ...membersHeaders(shop.merchant), 'if-match': '"7"' };
      for (const method of ['PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { json: { title: 'Mug' } } : {};
        const { status } = await walk().send(method, `products/${id}`, { headers: stale, ...body });
        expect(status).toBe(409);
      }
      const keyed = { ...membersHeaders(shop.merchant), 'idempotency-key': randomUUID() };
      const statuses = [];
      for (const name of ['One', 'Two']) {
        const made = await walk().send('POST', 'workspaces', { headers: keyed, json: { name } });
        statuses.push(made.status);
      }
      expect(statuses).toEqual([201, 409]);
    });

    it('429 with the remaining limit and the time to retry', async () => {
      await untilHourLasts();
      const { key } = await walk().product.createApiKey(shop.site, { hourly_limit: 1 });
      const headers = { 'x-api-key': key };
      const path = `partner-attribution/touches?website_id=${shop.site.id}`;
      await walk().send('GET', path, { headers });
      const { status, headers: given } = await walk().send('GET', path, { headers });
      expect([status, given.get('x-ratelimit-remaining')]).toEqual([429, '0']);
      expect(Number(given.get('retry-after'))).toBeGreaterThan(0);
    });
  });
}

const UNKNOWN_ID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

const takesJson = ({ body }: RouteRules): boolean => body !== undefined;

function bodyOf(route: RouteRules, json: object): Sending {
  return takesJson(route) ? { json } : {};
}

/** The route's path with unknown ids. */
function pathOf({ path }: RouteRules, workspaceId: string): string {
  const filled = path
    .replace('/v1/workspaces/:workspace_id', `/v1/workspaces/${workspaceId}`)
    .replace(/:[a-z_]+/g, UNKNOWN_ID);
  return filled.startsWith('/api/v1/') ? filled.replace('/api/v1/', '') : filled.replace('/api', '');
}

function requiredQuery({ knownQuery }: RouteRules, siteId: string): string {
  return knownQuery.has('website_id') ? `?website_id=${siteId}` : '';
}
