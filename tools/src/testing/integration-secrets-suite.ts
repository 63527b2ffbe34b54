import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { integrationSealContext } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { currentAlone } from './clicks.js';
import type { LoudProduct } from './loud-product.js';
import { openMerchant } from './merchant.js';

/** Part of every token of this run, and of nothing else. */
const SECRET = `Token${randomBytes(12).toString('hex')}`;
/** Part of a readable URL: it shows that the search works. */
const PLAIN = `network${randomBytes(12).toString('hex')}`;

/** Of a loud product, in which no integration has been made before. */
export function integrationSecrets(launched: () => LoudProduct): {
  readonly areUnderTheCurrentKey: () => void;
} {
  let loud: LoudProduct;
  let product: Product;
  let siteId: string;
  let token: string;
  const answers: string[] = [];

  beforeAll(async () => {
    loud = launched();
    ({ product } = loud);
    const { sub, site } = await openMerchant(product);
    siteId = site.id;
    token = await product.idToken({ sub });
    await eventually(async () => (await send('GET', 'integrations')).status === 200, {
      message: 'the gateway to know its member',
    });
  });

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly id: string }> {
    const answer = await request<{ id?: string }>(`${product.baseUrl}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    });
    answers.push(`${JSON.stringify([...answer.headers])} ${answer.text}`);
    return { status: answer.status, id: String(answer.body.data?.id) };
  }

  let sequence = 0;
  const credentials = (): object => ({ publisher_id: '4815', api_token: `${SECRET}${(sequence += 1)}` });
  const integration = (changes: object = {}): object => ({
    site_id: siteId,
    provider: 'awin',
    credentials: credentials(),
    base_url: `https://${PLAIN}.example`,
    ...changes,
  });

  describe('interface page, section 9: credentials of integrations', () => {
    it('credentials of integrations are in no log segment, table, log line and answer', async () => {
      const key = { 'idempotency-key': randomUUID() };
      const whole = integration();
      const made = await send('POST', 'integrations', whole, key);
      const statuses = [made.status];
      const say = async (...request: Parameters<typeof send>): Promise<void> => {
        statuses.push((await send(...request)).status);
      };
      await say('POST', 'integrations', whole, key);
      await say('PATCH', `integrations/${made.id}`, { credentials: credentials() });
      await say('GET', `integrations/${made.id}`);
      await say('GET', 'integrations');
      expect(statuses.splice(0)).toEqual([201, 201, 200, 200, 200]);
      // The secret in every wrong place, where a merchant may send it by mistake.
      for (const wrong of [
        { provider: SECRET },
        { site_id: SECRET },
        { base_url: `https://${SECRET}@api.example` },
        { base_url: `https://api.example?token=${SECRET}` },
        { api_token: SECRET },
        { [SECRET]: SECRET },
        { credentials: SECRET },
        { credentials: { publisher_id: '1', api_token: { [SECRET]: SECRET } } },
        { credentials: { ...credentials(), publisher_id: `${SECRET}\0` } },
        { credentials: { ...credentials(), publisher_id: SECRET.repeat(5) } },
      ]) {
        await say('POST', 'integrations', integration(wrong));
        await say('PATCH', `integrations/${made.id}`, wrong);
      }
      await say('POST', 'integrations', `{"credentials":{"api_token":"${SECRET}"`);
      await say('POST', 'integrations', `{"api_token":"${SECRET}","api_token":"${SECRET}"}`);
      expect(new Set(statuses.splice(0))).toEqual(new Set([400]));
      await say('POST', 'integrations', integration({ site_id: randomUUID() }));
      await say('PATCH', `integrations/${randomUUID()}`, { credentials: credentials() });
      await say('POST', 'integrations', integration(), key);
      await say('PATCH', `integrations/${made.id}`, { credentials: credentials() }, { 'if-match': '"9"' });
      await say('POST', 'integrations', integration(), { authorization: 'Bearer nonsense' });
      expect(statuses.splice(0)).toEqual([404, 404, 409, 409, 401]);
      await loud.settle();
      const found = loud.holding(PLAIN);
      expect(found.some((file) => /management\.commands-\d+.*\.log$/.test(file))).toBe(true);
      expect(found.some((file) => file.includes('/base/'))).toBe(true);
      expect(found.some((file) => file.endsWith('postgres.log'))).toBe(true);
      // Only the answer that refuses an unknown field names it.
      loud.expectNowhere(
        [SECRET],
        answers.filter((answer) => !answer.includes(`"${SECRET}":["is not a known field"]`)),
      );
      const audit = await loud.owner.query(
        "select action, actor from audit_log where resource = 'integration' order by at",
      );
      expect(audit.rows.map(({ action }: { action: string }) => action)).toEqual(['create', 'update']);
    });
  });

  const areUnderTheCurrentKey = (): void => {
    it('credentials of integrations are under the new key alone once keys are rotated', async () => {
      const alone = currentAlone(product.installation);
      const { rows } = await loud.owner.query<{ id: string; key_id: string; sealed: Buffer }>(
        'select id, key_id, sealed from integrations',
      );
      expect(rows.length).toBeGreaterThan(0);
      const opened = rows.map(({ id, key_id: keyId, sealed }) => {
        const value = alone.open({ keyId, sealed }, integrationSealContext(id));
        return value.ok ? value.value : value.error;
      });
      expect(opened.some((value) => value.includes(SECRET))).toBe(true);
      expect(rows.filter(({ key_id }) => key_id !== alone.currentKeyId)).toEqual([]);
      loud.expectNowhere([SECRET], []);
    });
  };

  return { areUnderTheCurrentKey };
}
