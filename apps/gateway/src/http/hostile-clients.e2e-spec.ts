import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { badInput } from '../testing/hostile/bad-input-suite.js';
import { stalledBodies } from '../testing/hostile/stalled-bodies-suite.js';
import { open, readAnswer } from '../testing/raw-http.js';

const CONNECTIONS = 10_000;

let launched: LaunchedProduct;

beforeAll(async () => {
  launched = await launchProduct({
    inOneProcess: true,
    services: ['management', 'gateway', 'ingestion', 'attribution-ledger'],
  });
});

afterAll(() => launched.stop());

badInput(() => launched);
stalledBodies(() => launched);

describe('malformed HTTP (more in malformed-http.spec.ts), and many clients', () => {
  const originOf = (): string => new URL(launched.baseUrl).origin;

  it('malformed HTTP is answered 400 by the product, and its process lives', async () => {
    const { pid } = launched.gateway;
    const socket = await open(originOf());
    const answer = readAnswer(socket);
    socket.write('BREW /api/v1/events/track HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await answer).status).toBe(400);
    socket.destroy();
    expect([launched.gateway.pid, launched.gateway.isRunning]).toEqual([pid, true]);
  });

  it('10,000 connections at once do not kill it', async () => {
    const sockets: Socket[] = [];
    const statuses = new Set<number | undefined>();
    try {
      for (let opened = 0; opened < CONNECTIONS; opened += 500) {
        const some = await Promise.all(Array.from({ length: 500 }, () => open(originOf())));
        sockets.push(...some);
        // Concurrently: the server closes a connection after ten silent seconds, and opening all in sequence
        // may take longer.
        const answers = some.map((socket) => readAnswer(socket, 60_000));
        for (const socket of some) socket.write('GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n');
        for (const { status } of await Promise.all(answers)) statuses.add(status);
      }
      expect([...statuses]).toEqual([404]);
      expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(CONNECTIONS);
      expect(await trackOne()).toBe(201);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  async function trackOne(): Promise<number> {
    const { key } = await launched.createApiKey(await launched.createSite());
    const json = {
      event_type: 'page_view',
      session_id: 'session-1',
      client_event_id: randomUUID(),
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
    };
    const url = `${launched.baseUrl}/events/track`;
    return (await request(url, { json, headers: { 'x-api-key': key } })).status;
  }
});
