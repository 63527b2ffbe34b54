import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SiteResource } from '@truetally/contracts/management';
import type { SetAsideFactResource } from '@truetally/contracts/operations';
import { TOPICS } from '@truetally/contracts/topics';
import type { Messaging } from '@truetally/messaging';
import { type Answer, eventually, request } from '@truetally/testing';
import { isKeyKnown, type LaunchedProduct, openMessaging } from '@truetally/testing-product';

let product: LaunchedProduct;
let messaging: Messaging;
let site: SiteResource;

/** For any fact, but not for the markers that end its transactions. */
const TOO_SMALL = { 'max.message.bytes': '200' };

/** Kafka refuses every record of the topic as too large, or takes them again. */
async function configure(limit: Readonly<Record<string, string>>): Promise<void> {
  const { name, config } = TOPICS.credentials;
  const entries = Object.entries({ ...config, ...limit });
  await messaging.administer((admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: 2,
          name: messaging.prefixed(name),
          configEntries: entries.map(([entry, value]) => ({ name: entry, value })),
        },
      ],
    }),
  );
}

async function admin<T>(path: string, method: 'GET' | 'POST'): Promise<Answer<T>> {
  const headers = { authorization: `Bearer ${product.adminSecret}` };
  return request<T>(`${product.adminUrl}/set-aside-facts${path}`, { method, headers });
}

async function setAsideOf(keyId: string): Promise<readonly SetAsideFactResource[]> {
  const { body } = await admin<{ items: readonly SetAsideFactResource[] }>(
    '?service=management&limit=200',
    'GET',
  );
  return (body.data?.items ?? []).filter(({ key }) => key === keyId);
}

const newKey = () =>
  product.asks.createApiKey({
    workspace_id: site.workspace_id,
    site_id: site.id,
    name: 'Refused',
    scopes: ['events:write'],
    hourly_limit: 1_000,
  });

/** A broker follows a change of its limits a moment after it was made: a key of that moment is set aside, too. */
async function isKafkaTaking(): Promise<boolean> {
  const { id, key } = await newKey();
  const outcome = await eventually(
    async () => {
      if (await isKeyKnown(product.baseUrl, key)) return 'taken';
      return (await setAsideOf(id)).length > 0 && 'refused';
    },
    { message: `a gateway to know key ${id}, or its fact to be set aside` },
  );
  return outcome === 'taken';
}

/** Starts one more gateway. */
export function whatARefusedRevocationEnds(launched: () => LaunchedProduct): void {
  describe('a revocation that Kafka refuses', () => {
    beforeAll(async () => {
      product = launched();
      const { kafkaBrokers, topicPrefix } = product.installation;
      messaging = await openMessaging(kafkaBrokers, topicPrefix, 'refused-revocation');
      site = await product.createSite();
    });

    afterAll(() => messaging.close());

    it('a key that was revoked while Kafka refused its facts is refused by every gateway, when they are replayed as listed', async () => {
      const probe = await newKey();
      await configure(TOO_SMALL);
      const scope = { workspace_id: site.workspace_id, site_id: site.id };
      await eventually(
        async () => {
          await product.asks.updateApiKey({ ...scope, key_id: probe.id, name: 'Renamed' });
          return (await setAsideOf(probe.id)).length > 0;
        },
        { message: 'Kafka to refuse facts of credentials' },
      );
      const key = await newKey();
      await product.asks.revokeApiKey({ ...scope, key_id: key.id });
      let listed: readonly SetAsideFactResource[] = [];
      const facts = await eventually(
        async () => {
          listed = await setAsideOf(key.id);
          return listed.length === 2 && listed;
        },
        { message: () => `two facts of ${key.id}: ${JSON.stringify(listed)}` },
      );
      await configure({});
      await eventually(isKafkaTaking, { message: 'Kafka to take facts of credentials again' });
      // What came before a newer key is known to every gateway.
      await product.createApiKey(site);

      const answers: Answer<SetAsideFactResource>[] = [];
      for (const { id } of facts) answers.push(await admin(`/management/${id}/replay`, 'POST'));
      expect(answers.map(({ status }) => status)).toEqual([409, 200]);
      expect(JSON.stringify(answers[0]?.body.error?.details)).toContain(facts[1]?.id);
      expect(answers[1]?.body.data).toMatchObject({ id: facts[1]?.id, state: 'replayed' });

      await product.createApiKey(site);
      await product.addGateway();
      for (const { baseUrl } of product.gateways) expect(await isKeyKnown(baseUrl, key.key)).toBe(false);
    });
  });
}
