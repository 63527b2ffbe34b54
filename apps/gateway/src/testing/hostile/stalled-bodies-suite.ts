import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { open } from '../raw-http.js';
import { statusUnlessStarved } from '../unless-starved.js';

const CONNECTIONS = 97;
const MEBIBYTE = 1024 * 1024;
const ORIGIN = 'https://shop.example';
/** Far more than were answered while stalled bodies blocked the gateway for thirteen seconds. */
const SOME_EVENTS = 40;

/** Bodies that hold a share of the memory for as long as they may. */
export function stalledBodies(launched: () => Product): void {
  describe('bodies that begin, inflate and never end', () => {
    let product: Product;
    let key: string;
    let siteId: string;
    let sockets: Socket[] = [];

    beforeAll(async () => {
      product = launched();
      const site = await product.createSite();
      siteId = site.id;
      key = (await product.createApiKey(site)).key;
    });

    /** A gzip stream of so many bytes without its end; most of it can be decompressed. */
    function unfinished(bytes: number): Buffer {
      const text = JSON.stringify({ site_id: siteId, filler: 'a'.repeat(bytes) }).slice(0, bytes);
      return gzipSync(text).subarray(0, -4);
    }

    async function stall(path: string, body: Buffer, ...head: readonly string[]): Promise<Socket> {
      const socket = await open(new URL(product.baseUrl).origin);
      socket.on('error', () => undefined);
      const lines = [
        `POST /api/v1/${path} HTTP/1.1`,
        'Host: x',
        `Origin: ${ORIGIN}`,
        'Content-Encoding: gzip',
        `Content-Length: ${body.length + 4}`,
        ...head,
      ];
      socket.write(Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n')), body]));
      return socket;
    }

    const track = (): Promise<number> =>
      statusUnlessStarved(() => {
        const json = {
          event_type: 'page_view',
          session_id: 'session-1',
          client_event_id: randomUUID(),
          context: { page_url: `${ORIGIN}/`, user_agent: 'Mozilla/5.0' },
        };
        return request(`${product.baseUrl}/events/track`, { json, headers: { 'x-api-key': key } });
      });

    it.each<[string, string, () => Buffer, readonly string[]]>([
      [
        'from nobody, of 1 MiB - 1',
        'events/batch',
        () => unfinished(MEBIBYTE - 1),
        ['Content-Type: text/plain'],
      ],
      [
        'from nobody, of what a beacon may have',
        'events/batch',
        () => unfinished(64 * 1024 - 1),
        ['Content-Type: text/plain'],
      ],
      [
        'for a token, of what such a request may have',
        'runtime/tokens',
        () => unfinished(4 * 1024 - 1),
        ['Content-Type: application/json'],
      ],
      [
        'from nobody, without anything to inflate',
        'events/batch',
        () => randomBytes(0),
        ['Content-Type: text/plain'],
      ],
    ])('%s: an authenticated backend is answered 201 all the time', async (_whose, path, body, head) => {
      const bytes = body();
      sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => stall(path, bytes, ...head)));
      try {
        for (let sent = 0; sent < SOME_EVENTS; sent++) expect(await track()).toBe(201);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    });

    it('stalled bodies of another tenant do not block a tenant: they use only their own share', async () => {
      const other = await product.createApiKey(await product.createSite());
      const head = ['Content-Type: application/json', `X-API-Key: ${other.key}`];
      const bytes = unfinished(MEBIBYTE - 1);
      sockets = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => stall('events/batch', bytes, ...head)),
      );
      try {
        for (let sent = 0; sent < SOME_EVENTS; sent++) expect(await track()).toBe(201);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    });
  });
}
