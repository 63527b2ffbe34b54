import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DAY_MS } from '@truetally/kernel';
import { readKeyringFile } from '@truetally/keyring';
import { type Answer, eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { Webhook } from 'standardwebhooks';
import { backdateKeys } from './clicks.js';
import type { LoudProduct } from './loud-product.js';
import { openMerchant } from './merchant.js';

interface Received {
  readonly body: string;
  readonly headers: Record<string, string>;
}
interface Workflow {
  readonly id: string;
  readonly version: number;
  readonly updated_at: string;
  readonly action: { readonly secret: string };
}

/** Longer than any request or dead letter exists. */
const LONG_AGO_MS = 60 * DAY_MS;

/** Of a loud product, before and after its keys are rotated. */
export function webhookSecrets(launched: () => LoudProduct): { readonly areUnderTheCurrentKey: () => void } {
  let loud: LoudProduct;
  let product: Product;
  let workflow: Workflow;
  let first: string;
  let ask: <T>(path: string, asked?: object) => Promise<Answer<T>>;
  let track: (orderId: string) => Promise<void>;
  const answers: string[] = [];
  const received: Received[] = [];
  const receiver = createServer((message, response) => {
    void text(message).then((body) => {
      received.push({ body, headers: message.headers as Record<string, string> });
      response.end();
    });
  });

  beforeAll(async () => {
    loud = launched();
    ({ product } = loud);
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { sub, site } = await openMerchant(product);
    const { key } = await product.createApiKey(site);
    const headers = { authorization: `Bearer ${await product.idToken({ sub })}` };
    ask = (path, asked = {}) => request(`${product.baseUrl}/${path}`, { headers, ...asked });
    track = async (orderId) => {
      const context = { page_url: 'https://shop.example/thanks', user_agent: 'Mozilla/5.0' };
      const properties = { order_id: orderId, total: 50, currency: 'EUR' };
      const { status } = await request(`${product.baseUrl}/events/track`, {
        headers: { 'x-api-key': key },
        json: { event_type: 'purchase', session_id: orderId, context, properties },
      });
      expect(status).toBe(201);
    };
    await eventually(async () => (await ask('workflows')).status === 200, {
      message: 'the gateway to know its member',
    });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const made = await ask<Workflow>('workflows', {
      json: {
        site_id: site.id,
        name: 'CRM',
        trigger: { event_types: ['purchase'] },
        action: { type: 'webhook', url },
      },
    });
    workflow = made.body.data as Workflow;
    first = workflow.action.secret;
  });

  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  /** Which of these secrets have signed the webhook of an order. */
  async function signersOf(orderId: string, secrets: readonly string[]): Promise<readonly boolean[]> {
    await track(orderId);
    const webhook = await eventually(() => received.find(({ body }) => body.includes(orderId)), {
      message: 'the webhook',
    });
    return secrets.map((secret) => verifies(webhook, secret));
  }

  it('the secret of a webhook signs, and is in no log segment, table, log line and later answer', async () => {
    expect(await signersOf('order-1', [first])).toEqual([true]);
    // With the one before, for a day.
    const changed = await ask<Workflow>(`workflows/${workflow.id}`, {
      method: 'PATCH',
      json: { action: { secret: null } },
    });
    workflow = changed.body.data as Workflow;
    expect(await signersOf('order-2', [first, workflow.action.secret])).toEqual([true, true]);
    const read = await ask<Workflow>(`workflows/${workflow.id}`);
    answers.push(read.text);
    await loud.settle();
    loud.expectNowhere([first, workflow.action.secret], answers);
  });

  const areUnderTheCurrentKey = (): void => {
    it('secrets of webhooks sign as before once keys are rotated and retired, and their workflow is unchanged', async () => {
      const { keyringFile } = product.installation;
      await loud.settle();
      const ring = readKeyringFile(keyringFile);
      expect(Object.keys(ring.keys).length).toBeGreaterThan(1);
      backdateKeys({ keyringFile }, LONG_AGO_MS);
      const tool = await loud.startRotation(['--retire']);
      expect((await tool.exited).code).toBe(0);
      expect(Object.keys(readKeyringFile(keyringFile).keys)).toEqual([ring.current]);
      const isRead = `"key_ids":["${ring.current}"]`;
      const lines = () =>
        loud
          .processLogs()
          .split('\n')
          .filter((line) => line.includes(isRead));
      await eventually(() => lines().some((line) => line.includes('"service":"outbound"')), {
        message: 'outbound to read the keyring',
      });
      const secrets = [first, workflow.action.secret];
      expect(await signersOf('order-3', secrets)).toEqual([true, true]);
      const read = await ask<Workflow>(`workflows/${workflow.id}`);
      const { version, updated_at } = workflow;
      expect(read.body.data).toMatchObject({ version, updated_at });
      loud.expectNowhere(secrets, answers);
    });
  };

  return { areUnderTheCurrentKey };
}

function verifies({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
