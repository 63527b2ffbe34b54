import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INCOMING_FOLDER, type IntegrationResource, MEDIA_FOLDER } from '@truetally/contracts/management';
import { type Answer, request, type S3Server, startS3Server } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { openShop, resourceOf } from '../testing/catalogue.js';
import { badInput } from '../testing/hostile/bad-input-suite.js';
import { stalledBodies } from '../testing/hostile/stalled-bodies-suite.js';
import { whatMediaAre } from '../testing/media-suite.js';
import { Merchant } from '../testing/merchant.js';
import { open, readAnswer } from '../testing/raw-http.js';

const CONNECTIONS = 10_000;

let s3: S3Server;
let launched: LaunchedProduct;

beforeAll(async () => {
  s3 = await startS3Server([INCOMING_FOLDER, MEDIA_FOLDER]);
  const store = {
    MEDIA_STORE: 's3',
    MEDIA_S3_ENDPOINT: s3.endpoint,
    MEDIA_S3_BUCKET: s3.bucket,
    MEDIA_S3_REGION: s3.region,
    MEDIA_S3_PATH_STYLE: 'true',
    MEDIA_S3_ACCESS_KEY_ID: s3.accessKeyId,
    MEDIA_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  launched = await launchProduct({
    inOneProcess: true,
    services: ['management', 'gateway', 'ingestion', 'attribution-ledger'],
    env: { gateway: store, management: store },
  });
});

afterAll(async () => {
  await launched.stop();
  await s3.stop();
});

badInput(() => launched);
stalledBodies(() => launched);
whatMediaAre('s3', () => launched);

/** Of a product that may call no address of this machine, as the shared one may. */
describe('interface page, section 9: integrations', () => {
  it('name no address of our own house, in whatever notation, when they are made or changed', async () => {
    const merchant = await Merchant.join(launched);
    const site = await openShop(merchant);
    const post = (body: object): Promise<Answer<IntegrationResource>> => {
      const credentials = { publisher_id: '481516', api_token: 'token-of-the-merchant' };
      const whole = { site_id: site.id, provider: 'awin', credentials, ...body };
      return merchant.post<IntegrationResource>('integrations', whole);
    };
    const { id } = resourceOf(await post({}));
    const details = {
      base_url: ['must not lead to a private, loopback or link-local address, or to a name inside a network'],
    };
    for (const base_url of [
      'http://127.0.0.1:9092',
      'http://2130706433',
      'http://0x7f.1/',
      'http://[::ffff:10.0.0.1]',
      'http://localhost.',
      'http://169.254.169.254/latest',
      'http://truetally-kafka-bootstrap:9092',
    ]) {
      const answers = [await post({ base_url }), await merchant.patch(`integrations/${id}`, { base_url })];
      for (const { status, body } of answers)
        expect([base_url, status, body.error?.details]).toEqual([base_url, 400, details]);
    }
    expect((await merchant.get(`integrations/${id}`)).body.data).toMatchObject({
      version: 1,
      base_url: null,
    });
  });
});

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
