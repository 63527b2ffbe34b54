import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ClientAddresses } from '../http/shares.js';
import { Exchange } from '../http/exchange.js';
import { OutstandingAnswers } from '../http/answers.js';
import { open } from '../testing/raw-http.js';
import { answerFile } from './respond-file.js';

describe('an answer with a file', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(() => void server.close());

  it('ends in a bounded time, also for a reader that never falls silent', async () => {
    const body = new Readable({ read: () => void setImmediate(() => body.push('x')) });
    const answered = once(server, 'request').then(([request, response]) => {
      const exchange = new Exchange({
        request,
        response,
        path: '/',
        outstanding: new OutstandingAnswers(new ClientAddresses([])),
        onAnswered: () => undefined,
      });
      const file = { etag: '"x"', contentType: 'image/png', bytes: Number.MAX_SAFE_INTEGER, body };
      return answerFile(exchange, file, 50);
    });
    const { port } = server.address() as AddressInfo;
    const reader = await open(`http://127.0.0.1:${port}`);
    const closed = once(reader.resume(), 'close');
    reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([answered, closed]);
    expect(body.destroyed).toBe(true);
  });
});
