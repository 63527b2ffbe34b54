import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { readKeyringFile } from '@truetally/keyring';
import { eventually, request, uniqueName } from '@truetally/testing';
import { type LaunchedProduct, roleOf } from '@truetally/testing-product';
import type { LoudProduct } from './loud-product.js';
import { openMerchant, SHOP_ORIGIN } from './merchant.js';

/** A readable value: it shows that the search works. */
const PLAIN = uniqueName('session');
/**
 * Places where a caller may send a credential by mistake, or the right place on a route that requires another
 * one.
 */
const ROUTES = [
  'POST events/track',
  'POST events/batch',
  'POST runtime/tokens',
  'POST partner-attribution/touches',
  'POST partner-attribution/conversions',
  'POST partner-attribution/commission-rules',
  'GET partner-attribution/orders/unknown',
  'POST partner-experiments/assignments',
  'GET public/overlays',
  'POST sites',
  'POST workspaces',
  'POST campaigns',
  'PUT products/batch',
  'POST integrations',
  'POST integrations/jobs/settlements',
  'GET analytics/publishers',
  'POST media',
  'GET audit-log',
] as const;
const ADMIN_ROUTES = ['GET health', 'GET reconciliation', 'GET dead-letters', 'GET topics'] as const;

interface Question {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string;
}

export function everyCredential(launched: () => LoudProduct): void {
  let loud: LoudProduct;
  let product: LaunchedProduct;
  const answers: string[] = [];
  /** Credentials by their kind. */
  const secrets = new Map<string, string>();
  let email: string;

  beforeAll(async () => {
    loud = launched();
    ({ product } = loud);
    const { sub, site } = await openMerchant(product);
    email = `${uniqueName('owner')}@shop.example`;
    const { key } = await product.createApiKey(site);
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: SHOP_ORIGIN },
    });
    const { installation } = product;
    const keyring = readKeyringFile(installation.keyringFile);
    secrets.set('API key', key);
    secrets.set('runtime token', String(issued.body.data?.token));
    secrets.set('ID token', await product.idToken({ sub, email }));
    secrets.set('admin secret', installation.secrets.adminSecret);
    secrets.set('worker secret', installation.secrets.workerSecret);
    secrets.set('signing secret of runtime tokens', installation.secrets.runtimeTokenSecret);
    secrets.set('matching key of the keyring', keyring.matching_key);
    for (const [id, value] of Object.entries(keyring.keys)) secrets.set(`key ${id} of the keyring`, value);
    for (const [name, password] of Object.entries(installation.secrets.rolePasswords)) {
      secrets.set(`Postgres password of ${name}`, password);
    }
  });

  async function send(
    route: string,
    { headers = {}, query = '', body }: Question,
    base = product.baseUrl,
  ): Promise<number> {
    const [method = '', path = ''] = route.split(' ');
    const answer = await request(`${base}/${path}${query}`, {
      method,
      headers: { origin: SHOP_ORIGIN, 'content-type': 'application/json', ...headers },
      ...(method === 'GET' || body === undefined ? {} : { body }),
    });
    answers.push(`${JSON.stringify([...answer.headers])} ${answer.text}`);
    return answer.status;
  }

  /** A request with the credential in every possible place. */
  function questionsWith(secret: string): readonly Question[] {
    const event = {
      event_type: 'page_view',
      session_id: 's',
      context: { page_url: SHOP_ORIGIN, user_agent: 'x' },
    };
    const text = encodeURIComponent(secret);
    return [
      { headers: { 'x-api-key': secret }, body: JSON.stringify(event) },
      { headers: { authorization: `Bearer ${secret}` }, body: JSON.stringify(event) },
      { headers: { authorization: secret }, body: '{}' },
      { headers: { 'x-api-key': secret, authorization: `Bearer ${secret}` }, body: '{}' },
      { headers: { cookie: `session=${text}` }, body: '{}' },
      {
        headers: { 'webhook-id': 'm-1', 'webhook-timestamp': '1', 'webhook-signature': `v1,${secret}` },
        body: '{}',
      },
      { query: `?api_key=${text}&token=${text}&access_token=${text}`, body: '{}' },
      { body: JSON.stringify({ ...event, api_key: secret }) },
      { body: JSON.stringify({ ...event, runtime_token: secret, password: secret }) },
      { body: `{"api_key":"${secret}"` },
      {
        headers: { 'content-type': 'text/plain;charset=UTF-8' },
        body: JSON.stringify({ ...event, api_key: secret }),
      },
      { headers: { 'content-type': `multipart/form-data; boundary=${text}` }, body: secret },
    ];
  }

  /** Credentials of clients; they can get the others only by mistake. */
  const CARRIED = ['API key', 'runtime token', 'ID token', 'admin secret', 'worker secret'];

  async function sendEverywhere(): Promise<void> {
    for (const secret of CARRIED.map((name) => String(secrets.get(name)))) {
      for (const question of questionsWith(secret)) {
        await Promise.all(ROUTES.map((route) => send(route, question)));
      }
      const authorized = { headers: { authorization: `Bearer ${secret}` } };
      await Promise.all(ADMIN_ROUTES.map((route) => send(route, authorized, product.adminUrl)));
      await send(`GET sites/${encodeURIComponent(secret)}`, {});
      await send(`GET ${encodeURIComponent(secret)}/unknown`, {});
    }
  }

  /** Signed with the right secret, so that it passes authentication. */
  async function sendSigned(): Promise<number> {
    const [id, timestamp, body] = [randomUUID(), String(Math.floor(Date.now() / 1_000)), '{"nonsense":true}'];
    const key = Buffer.from(String(secrets.get('worker secret')).replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    return send('POST integrations/jobs/settlements', { headers, body });
  }

  /** The services' logs when Postgres refuses their login: errors of drivers contain more than a message. */
  async function whileLockedOut(work: () => Promise<void>): Promise<void> {
    const roles = SERVICE_NAMES.map((name) => roleOf(product.installation, name));
    for (const role of roles) await loud.owner.query(`alter role ${role} with nologin`);
    const end = 'select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1)';
    await loud.owner.query(end, [roles]);
    await work();
    await eventually(() => /not permitted to log in/.test(loud.processLogs()), {
      message: 'the fault to be logged',
    });
    for (const role of roles) await loud.owner.query(`alter role ${role} with login`);
  }

  const page = (credential: string): Question => ({
    headers: { 'x-api-key': credential },
    body: JSON.stringify({
      event_type: 'page_view',
      session_id: PLAIN,
      context: { page_url: SHOP_ORIGIN, user_agent: 'Mozilla/5.0' },
    }),
  });

  async function metricsOfAll(): Promise<readonly string[]> {
    const all = SERVICE_NAMES.flatMap((name) => product.processes(name));
    return Promise.all(
      all.map(async ({ operationsPort }) =>
        (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text(),
      ),
    );
  }

  describe('credentials and other secret values', () => {
    it('secret values are in no log line, answer, metric, topic and table, whatever failed', async () => {
      const key = String(secrets.get('API key'));
      expect(await send('POST events/track', page(key))).toBe(201);
      await sendEverywhere();
      await sendSigned();
      await whileLockedOut(async () => {
        expect(await send('POST events/track', page(key))).toBe(503);
      });
      await eventually(async () => (await send('POST events/track', page(key))) === 201);
      await loud.settle();
      const seen = [...answers, ...(await metricsOfAll())];
      expect(loud.holding(PLAIN).length).toBeGreaterThan(1);
      expect(seen.join('')).toContain('truetally_http_request_duration_seconds');
      loud.expectNowhere(secrets.values(), seen);
    });

    it('an e-mail address of a member is in no log line, answer and metric, though it came with every ID token', async () => {
      const token = String(secrets.get('ID token'));
      const question = { headers: { authorization: `Bearer ${token}` }, body: '{}' };
      for (const route of ROUTES) await send(route, question);
      const said = [loud.processLogs(), ...answers, ...(await metricsOfAll())];
      expect(said.filter((text) => text.includes(email))).toEqual([]);
    });
  });
}
