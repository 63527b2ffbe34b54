import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { eventually, request } from '@truetally/testing';
import { type LaunchedProduct, type LocalGateway } from '@truetally/testing-product';
import { queryProduct } from '../query-product.js';
import { open, readAnswer } from '../raw-http.js';
import { StreamReader } from '../stream-reader.js';
import { statusUnlessStarved } from '../unless-starved.js';

const CLIENTS = 16;

/** Ends the last gateway, which has a process of its own. */
export function whatADrainAnswers(launched: () => LaunchedProduct): void {
  describe('stopping a gateway', () => {
    let product: LaunchedProduct;
    let gateway: LocalGateway;
    let key: string;
    let siteId: string;

    beforeAll(async () => {
      product = launched();
      const last = product.gateways.at(-1);
      if (last === undefined) throw new Error('There is no gateway.');
      gateway = last;
      const site = await product.createSite();
      siteId = site.id;
      key = (await product.createApiKey(site)).key;
    });

    it('answers requests in progress, exits with 0, and loses nothing that it answered', async () => {
      const created: string[] = [];
      const others: number[] = [];
      let isRefused = false;
      const client = async (): Promise<void> => {
        while (!isRefused) {
          let id = '';
          try {
            const status = await statusUnlessStarved(() => {
              id = randomUUID();
              const json = {
                event_type: 'page_view',
                session_id: 'session-1',
                client_event_id: id,
                context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
              };
              return request(`${gateway.baseUrl}/events/track`, { json, headers: { 'x-api-key': key } });
            });
            if (status === 201) created.push(id);
            else others.push(status);
          } catch {
            isRefused = true;
          }
        }
      };
      // A live stream would have no end.
      const stream = await StreamReader.open(`${gateway.baseUrl}/analytics/events?site_id=${siteId}`, {
        'x-api-key': key,
      });
      await stream.hasOpened();
      const clients = Array.from({ length: CLIENTS }, client);
      // A live stream follows what was stored at a distance of its own, which a busy machine makes longer.
      await eventually(() => created.length > 50 && stream.stored.length > 0);
      // A client that never finishes its request must not delay the shutdown.
      const stuck = await open(new URL(gateway.baseUrl).origin);
      stuck.write('POST /api/v1/events/track HTTP/1.1\r\nHost: x\r\n');
      // A request in progress gets its answer, with `Connection: close`.
      const body = JSON.stringify({
        event_type: 'page_view',
        session_id: 'session-1',
        context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
      });
      const late = await open(new URL(gateway.baseUrl).origin);
      late.write(
        `POST /api/v1/events/track HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
      );
      const before = created.length;
      // Some were sent behind these two, which the gateway has read by then.
      await eventually(() => created.length > before + CLIENTS);
      const stopped = gateway.kill('SIGTERM');
      await eventually(() => isRefused);
      const answer = readAnswer(late);
      late.write(body.slice(1));
      const { status, headers } = await answer;
      expect(status).toBe(201);
      expect(headers).toMatch(/^connection: close\r?$/im);
      await stopped;
      await stream.hasEnded();
      expect(stream.frames.at(-1)).toMatchObject({ event: 'close', data: { reason: 'draining' } });
      expect(stream.missed).toBe(0);
      await Promise.all(clients);
      stuck.destroy();
      expect(await gateway.exited).toMatchObject({ code: 0 });
      expect(others).toEqual([]);
      const rows = await queryProduct<{ count: string }>(
        product,
        'ingestion',
        'select count(*) as count from events where client_event_id = any($1)',
        [created],
      );
      expect(Number(rows[0]?.count)).toBe(created.length);
    });
  });
}
