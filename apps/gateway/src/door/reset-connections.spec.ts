import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { EdgeHarness, SMALL_ROUTE } from '../testing/edge-harness.js';
import { open, readAnswer } from '../testing/raw-http.js';

describe('a connection that is refused below HTTP', () => {
  let harness: EdgeHarness;

  beforeEach(() => {
    harness = new EdgeHarness({ routes: [SMALL_ROUTE] });
  });

  afterEach(() => harness.close());

  it.each([
    ['an Upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header that is none', 'GET / HTTP/1.1\r\nHost: x\r\n none\r\n\r\n'],
  ])('a client that resets its connection behind the refusal of %s ends no other', async (_what, head) => {
    const origin = await harness.open();
    const [other, refused] = [await open(origin), await open(origin)];
    refused.write(head);
    await once(refused, 'data');
    refused.resetAndDestroy();
    await once(refused, 'close');
    other.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await readAnswer(other)).status).toBe(200);
    other.destroy();
  });
});
