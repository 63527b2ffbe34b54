import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Result } from '@truetally/kernel';
import { eventually } from '@truetally/testing';
import fc from 'fast-check';
import { BodyBudget } from './shares.js';
import { type BodyFault, readBody } from './read-body.js';

const LIMIT_BYTES = 64 * 1024;
const BUDGET_BYTES = 16 * LIMIT_BYTES;
/** Never reached by a body that comes, however slow the machine is. */
const PATIENT_MS = 240_000;
const IMPATIENT_MS = 400;
const HOLDER = 'client';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Sends a piece of so many bytes, which nobody here keeps. */
async function sendOn(stream: PassThrough, bytes: number): Promise<WeakRef<Buffer>> {
  const piece = Buffer.alloc(bytes);
  stream.write(piece);
  await new Promise((resolve) => setImmediate(resolve));
  return new WeakRef(piece);
}

describe('reading a body', () => {
  let server: Server;
  let budget: BodyBudget;
  const results: Result<string, BodyFault>[] = [];
  let timeoutMs = PATIENT_MS;
  let waiting: ((result: Result<string, BodyFault>) => void) | undefined;

  beforeAll(async () => {
    budget = new BodyBudget(BUDGET_BYTES, BUDGET_BYTES);
    server = createServer((request, response) => {
      const rules = { limitBytes: LIMIT_BYTES, timeoutMs, budget, holders: [HOLDER] };
      void readBody(request, rules).then((result) => {
        results.push(result);
        waiting?.(result);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    timeoutMs = PATIENT_MS;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends the pieces unchanged, each in a separate write. @returns the reader's result */
  async function send(
    head: readonly string[],
    pieces: readonly Uint8Array[],
    options: { readonly isEnded?: boolean } = {},
  ): Promise<Result<string, BodyFault>> {
    const read = new Promise<Result<string, BodyFault>>((resolve) => (waiting = resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.write(['POST / HTTP/1.1', 'Host: test', ...head, '', ''].join('\r\n'));
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (options.isEnded === true) socket.end();
    const result = await read;
    socket.destroy();
    return result;
  }

  function sized(body: Uint8Array, ...head: string[]): Promise<Result<string, BodyFault>> {
    return send([`Content-Length: ${body.length}`, ...head], [body]);
  }

  it('keeps nothing of a body that it has refused, although its client keeps the connection', async () => {
    const request = Object.assign(new PassThrough(), { headers: {}, rawHeaders: [], complete: false });
    const refused = readBody(request as unknown as IncomingMessage, {
      limitBytes: LIMIT_BYTES,
      timeoutMs,
      budget: new BodyBudget(LIMIT_BYTES / 2, LIMIT_BYTES / 2),
      holders: [HOLDER],
    });
    const came = await sendOn(request, LIMIT_BYTES / 4);
    await sendOn(request, LIMIT_BYTES / 2);
    expect(await refused).toEqual({ ok: false, error: 'unavailable' });
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(came.deref()).toBeUndefined();
    request.destroy();
  });

  it('gives the text that was sent, however its bytes are cut and whatever carries them', async () => {
    const encodings = fc.constantFrom('identity', 'gzip', 'br');
    const texts = fc.string({ unit: 'grapheme', maxLength: 2_000 });
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, encodings, cuts, fc.boolean(), async (text, encoding, at, isChunked) => {
        const body = encode(encoding, Buffer.from(text.toWellFormed()));
        const pieces = cut(body, at);
        const result = isChunked
          ? await send(
              [`Content-Encoding: ${encoding}`, 'Transfer-Encoding: chunked'],
              [...pieces.filter(({ length }) => length > 0).map(chunk), Buffer.from('0\r\n\r\n')],
            )
          : await send([`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`], pieces);
        expect(result).toEqual({ ok: true, value: text.toWellFormed() });
      }),
      { numRuns: 150 },
    );
    expect(budget.bytes).toBe(0);
  });

  it('takes a body of exactly the limit, and none of one byte more', async () => {
    expect((await sized(Buffer.alloc(LIMIT_BYTES, 'a'))).ok).toBe(true);
    expect(await sized(Buffer.alloc(LIMIT_BYTES + 1, 'a'))).toEqual({ ok: false, error: 'body-too-large' });
  });

  it('cuts a chunked body off at the limit', async () => {
    const pieces = Array.from({ length: 20 }, () => chunk(Buffer.alloc(8 * 1024, 'a')));
    expect(await send(['Transfer-Encoding: chunked'], pieces)).toEqual({
      ok: false,
      error: 'body-too-large',
    });
  });

  it.each(['gzip', 'br'])('stops a %s bomb at the limit of the decompressed size', async (encoding) => {
    const bomb = encode(encoding, Buffer.alloc(64 * 1024 * 1024));
    const cutOff = bomb.subarray(0, LIMIT_BYTES);
    const before = process.memoryUsage.rss();
    const result = await sized(cutOff, `Content-Encoding: ${encoding}`);
    expect(result).toEqual({ ok: false, error: 'body-too-large' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(48 * 1024 * 1024);
  });

  it.each(['gzip', 'br'])('refuses data that is not %s', async (encoding) => {
    const result = await sized(Buffer.from('{"not":"compressed"}'), `Content-Encoding: ${encoding}`);
    expect(result).toEqual({ ok: false, error: 'broken-encoding' });
  });

  it.each(['gzip', 'br'])('refuses %s that ends early', async (encoding) => {
    const whole = encode(encoding, Buffer.from(JSON.stringify({ text: 'abc'.repeat(500) })));
    const result = await sized(whole.subarray(0, whole.length - 4), `Content-Encoding: ${encoding}`);
    expect(result).toEqual({ ok: false, error: 'broken-encoding' });
  });

  it.each(['gzip', 'br'])('refuses %s with trailing data of any size', async (encoding) => {
    for (const tailBytes of [1, 30_000]) {
      const whole = Buffer.concat([encode(encoding, Buffer.from('{}')), Buffer.alloc(tailBytes)]);
      const result = await sized(whole, `Content-Encoding: ${encoding}`);
      expect(result).toEqual({ ok: false, error: 'broken-encoding' });
    }
  });

  it.each(['deflate', 'zstd', 'gzip, br', 'x-gzip', 'nonsense'])(
    'a body with the unknown Content-Encoding %s is refused',
    async (name) => {
      const result = await sized(Buffer.from('{}'), `Content-Encoding: ${name}`);
      expect(result).toEqual({ ok: false, error: 'unsupported-media-type' });
    },
  );

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses bytes that are not UTF-8: %s', async (_name, bytes) => {
    expect(await sized(Buffer.from(bytes))).toEqual({ ok: false, error: 'not-utf-8' });
  });

  it('gives up on a body that does not come', async () => {
    timeoutMs = IMPATIENT_MS;
    const result = await send(['Content-Length: 10'], [Buffer.from('{"a"')]);
    expect(result).toEqual({ ok: false, error: 'slow-body' });
  });

  it('gives up on a body whose client leaves', async () => {
    const read = new Promise<Result<string, BodyFault>>((resolve) => (waiting = resolve));
    const came = once(server, 'request');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n{"a"');
    await came;
    socket.destroy();
    expect(await read).toEqual({ ok: false, error: 'incomplete-body' });
  });

  it('refuses bodies when those in progress use too much memory together', async () => {
    const taken = BUDGET_BYTES;
    expect(budget.take(['another'], taken)).toBe(true);
    try {
      expect(await sized(Buffer.from('{}'))).toEqual({ ok: false, error: 'unavailable' });
    } finally {
      budget.release(['another'], taken);
    }
    expect(await sized(Buffer.from('{}'))).toEqual({ ok: true, value: '{}' });
  });

  it.each(['gzip', 'br'])('counts the decompressor of %s from its first byte on', async (encoding) => {
    const free = encoding === 'gzip' ? 64 * 1024 : 256 * 1024;
    const begun = encode(encoding, Buffer.from('{}')).subarray(0, 1);
    const head = [`Content-Encoding: ${encoding}`, 'Content-Length: 9'];
    const taken = BUDGET_BYTES - free + 1;
    expect(budget.take(['another'], taken)).toBe(true);
    try {
      expect(await send(head, [begun])).toEqual({ ok: false, error: 'unavailable' });
    } finally {
      budget.release(['another'], taken);
    }
    timeoutMs = IMPATIENT_MS;
    const reading = send(head, [begun]);
    await eventually(() => budget.bytes >= free);
    expect(await reading).toEqual({ ok: false, error: 'slow-body' });
    expect(budget.bytes).toBe(0);
  });

  it('counts the head of a request whose body does not come', async () => {
    timeoutMs = IMPATIENT_MS;
    const head = 'h'.repeat(10_000);
    const reading = send([`X-Long: ${head}`, 'Content-Length: 9'], []);
    await eventually(() => budget.bytes > head.length);
    expect(await reading).toEqual({ ok: false, error: 'slow-body' });
  });

  it('gives back all that it counted, whatever became of the bodies above', () => {
    expect(results.length).toBeGreaterThan(100);
    expect(budget.bytes).toBe(0);
  });
});

function encode(encoding: string, body: Buffer): Buffer {
  if (encoding === 'gzip') return gzipSync(body);
  // The best quality takes seconds for a bomb.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  return encoding === 'br' ? brotliCompressSync(body, { params }) : body;
}

function cut(body: Buffer, at: readonly number[]): Buffer[] {
  const positions = [...at]
    .map((share) => Math.floor(share * body.length))
    .sort((left, right) => left - right);
  return [0, ...positions].map((start, index) => body.subarray(start, positions[index] ?? body.length));
}

function chunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}
