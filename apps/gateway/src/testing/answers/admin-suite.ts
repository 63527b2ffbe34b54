import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { commandHeaders, type Messaging } from '@truetally/messaging';
import { eventually } from '@truetally/testing';
import { openMessaging } from '@truetally/testing-product';
import { Merchant } from '../merchant.js';
import { queryProduct } from '../query-product.js';
import type { AnswerWalk, AnyData } from './answer-walk.js';

/** Answers for the platform's operators. */
export function adminAnswers(walk: () => AnswerWalk): void {
  describe('operators', () => {
    let messaging: Messaging;

    beforeAll(async () => {
      const { kafkaBrokers, topicPrefix } = walk().product.installation;
      messaging = await openMessaging(kafkaBrokers, topicPrefix, 'answers');
    });

    afterAll(() => messaging.close());

    it('health, lag, topics, counters, and one workspace', async () => {
      for (const path of ['health', 'consumers', 'topics', 'reconciliation']) await walk().admin('GET', path);
      const { workspaceId } = await Merchant.join(walk().product);
      await walk().admin('GET', `workspaces/${workspaceId}`);
      await walk().admin('PATCH', `workspaces/${workspaceId}`, { hourly_limit: 500_000 });
    });

    it('the document of all routes, whether it is known or not', async () => {
      const { headers } = await walk().send('GET', '/openapi.json');
      const tagged = { 'if-none-match': String(headers.get('etag')) };
      expect((await walk().send('GET', '/openapi.json', { headers: tagged })).status).toBe(304);
    });

    it('the page of the document and its files', async () => {
      const page = await walk().send('GET', '/docs');
      const html = await fetch(new URL('/api/docs', walk().product.adminUrl));
      const tagged = { 'if-none-match': String(page.headers.get('etag')) };
      expect((await walk().send('GET', '/docs', { headers: tagged })).status).toBe(304);
      const [, name = ''] = /docs\/(start\.[0-9a-f]+\.js)/.exec(await html.text()) ?? [];
      const file = await walk().send('GET', `/docs/${name}`);
      const known = { 'if-none-match': String(file.headers.get('etag')) };
      expect((await walk().send('GET', `/docs/${name}`, { headers: known })).status).toBe(304);
    });

    it('dead letters, replayed and discarded', async () => {
      for (const action of ['replay', 'discard']) {
        const requestId = randomUUID();
        const headers = { ...commandHeaders(randomUUID()), 'request-id': requestId };
        await messaging.publish([
          { topic: TOPICS.trackEvent.name, key: 'k', value: '{"poison":true}', headers },
        ]);
        const letter = await eventually(async () => {
          const { items } = await walk().admin('GET', `dead-letters?request_id=${requestId}`);
          return items.at(0);
        });
        await walk().admin('POST', `dead-letters/${letter.id}/${action}`);
      }
    });

    it('facts that Kafka refused, replayed and discarded', async () => {
      for (const action of ['replay', 'discard']) {
        const topic = `test.${randomUUID().slice(0, 8)}.v1`;
        const sql = 'insert into outbox (topic, key, value) values ($1, $2, $3)';
        await queryProduct(walk().product, 'management', sql, [topic, 'key', 'value']);
        const fact = await eventually(async () => {
          const path = 'set-aside-facts?service=management&limit=200';
          const { items } = await walk().admin<{ items: readonly (AnyData & { topic: string })[] }>(
            'GET',
            path,
          );
          return items.find((one) => one.topic === topic);
        });
        await walk().admin('POST', `set-aside-facts/management/${fact.id}/${action}`);
      }
    });
  });
}
