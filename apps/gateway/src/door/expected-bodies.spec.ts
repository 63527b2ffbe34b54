import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { EdgeHarness } from '../testing/edge-harness.js';
import { open, readAnswer } from '../testing/raw-http.js';

const LIMIT_BYTES = 1_024;

describe('a client that asks before it sends its body', () => {
  let harness: EdgeHarness;
  let origin: string;

  beforeEach(async () => {
    const body = { of: [], limitBytes: LIMIT_BYTES, isOptional: false, costOf: () => 1 };
    const path = '/api/v1/events/track';
    const route = { method: 'POST', path, credential: 'event-writer', knownQuery: new Map(), body } as const;
    harness = new EdgeHarness({ routes: [route] });
    origin = await harness.open();
  });

  afterEach(() => harness.close());

  async function ask(key: string, bytes: number): Promise<Socket> {
    const socket = await open(origin);
    const first = 'POST /api/v1/events/track HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    socket.write(`${first}Expect: 100-continue\r\nContent-Length: ${bytes}\r\nX-API-Key: ${key}\r\n\r\n`);
    return socket;
  }

  it.each([
    ['an unknown key', 401, 'ck_unknown', 2],
    ['too large a body', 413, undefined, LIMIT_BYTES + 1],
  ])('a client with %s is answered %i without its body', async (_what, status, key, bytes) => {
    const answered = await readAnswer(await ask(key ?? harness.apiKey(['events:write']), bytes));
    expect(answered.status).toBe(status);
    // What comes behind may be its body, or its next request.
    expect(answered.headers).toContain('Connection: close');
  });

  it('a client is asked for its body when it is admitted', async () => {
    const socket = await ask(harness.apiKey(['events:write']), 2);
    const [asked] = (await once(socket, 'data')) as [Buffer];
    expect(asked.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const answered = readAnswer(socket);
    socket.write('{}');
    expect((await answered).status).toBe(200);
    socket.destroy();
  });
});
