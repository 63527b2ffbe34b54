import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { anyCharacter, anyUrl } from '@truetally/kernel/testing';
import { type Answer, request } from '@truetally/testing';
import type { LaunchedProduct } from '@truetally/testing-product';
import fc from 'fast-check';
import { queryProduct } from '../query-product.js';
import { sendRaw } from '../raw-http.js';

const MIB = 1024 * 1024;
/** A bomb is as good, and made in a thirtieth of the time. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** Bodies that no honest client sends. */
export function badInput(launched: () => LaunchedProduct): void {
  describe('bad input: a clear 4xx, never a 500, and the process lives', () => {
    let product: LaunchedProduct;
    let key: string;
    let origin: string;
    let pid: number;

    beforeAll(async () => {
      product = launched();
      key = (await product.createApiKey(await product.createSite())).key;
      origin = new URL(product.baseUrl).origin;
      pid = product.gateway.pid;
    });

    afterEach(async () => {
      expect(product.gateway.pid).toBe(pid);
      expect(product.gateway.isRunning).toBe(true);
      expect((await track(JSON.stringify(event()))).status).toBe(201);
    });

    const event = (changes: object = {}): Record<string, unknown> => ({
      event_type: 'page_view',
      session_id: 'session-1',
      client_event_id: randomUUID(),
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
      ...changes,
    });

    function track(
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ): Promise<Answer<unknown>> {
      return post('track', body, headers);
    }

    function post(
      path: 'track' | 'batch',
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ): Promise<Answer<unknown>> {
      return request(`${product.baseUrl}/events/${path}`, {
        body,
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      });
    }

    function expectRefused({ status, body, text }: Answer<unknown>, expected = 400): void {
      expect(status).toBe(expected);
      expect(body.success).toBe(false);
      expect(body.error?.message.length).toBeGreaterThan(0);
      expect(text).not.toMatch(/node_modules|\.[jt]s:\d+|\n\s+at |select |insert /i);
    }

    const head = (...lines: string[]): string =>
      ['POST /api/v1/events/track HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, ...lines, '', ''].join('\r\n');

    it.each([
      '{',
      '}',
      '[',
      '"',
      '{"a":}',
      '{a:1}',
      "{'a':1}",
      '{"a":1,}',
      '[1,]',
      'NaN',
      'undefined',
      '01',
      '1.',
      '+1',
      '{"a":1}{"b":2}',
      '{"a":"\u0001"}',
      '"\\x41"',
      '"\\ud83d',
      '\ufeff{}',
      'nul',
      '--1',
      '1e',
      '/* */{}',
    ])('broken JSON: %j', async (body) => {
      expectRefused(await track(body));
      expectRefused(await post('batch', body));
    });

    it.each(['null', 'true', '1', '"text"', '[]', '[{}]'])('JSON that is no object: %s', async (body) => {
      expectRefused(await track(body));
      expectRefused(await post('batch', body));
    });

    it('wrong types at every field', async () => {
      const wrong = [null, true, 0, -1.5, 1e400, '', 'x', [], {}, [[]], { a: 1 }];
      const fields = [
        'event_type',
        'session_id',
        'context',
        'properties',
        'user_id',
        'device_id',
        'client_event_id',
        'occurred_at',
      ];
      const inContext = [
        'page_url',
        'user_agent',
        'referrer',
        'page_title',
        'screen',
        'device_type',
        'browser',
        'os',
        'language',
        'timezone',
      ];
      const bodies = wrong.flatMap((value) => [
        ...fields.map((field) => event({ [field]: value })),
        ...inContext.map((field) =>
          event({ context: { page_url: 'https://shop.example/', user_agent: 'x', [field]: value } }),
        ),
      ]);
      const statuses = await Promise.all(
        bodies.map(async (body) => (await track(JSON.stringify(body))).status),
      );
      expect(statuses.filter((status) => ![200, 201, 400].includes(status))).toEqual([]);
      expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(100);
    });

    it('nesting: 100 levels break a rule by name, 100,000 are refused as they are', async () => {
      const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      for (const field of ['properties', 'context', 'other']) {
        const body = JSON.stringify(event()).replace(
          /}$/,
          `,"${field === 'context' ? 'more' : field}":${nested(100)}}`,
        );
        const answer = await track(body);
        if (field === 'properties') expectRefused(answer);
        else expect([201, 400]).toContain(answer.status);
      }
      expectRefused(await track(nested(100_000)));
      expectRefused(await track(`${'['.repeat(500_000)}${']'.repeat(500_000)}`));
      expectRefused(await post('batch', `{"events":[${nested(100_000)}]}`));
    });

    it.each([
      ['gzip', gzipSync(Buffer.alloc(128 * MIB))],
      ['br', brotliCompressSync(Buffer.alloc(128 * MIB), QUICK)],
    ] as const)('a %s bomb is cut off at the limit', async (encoding, bomb) => {
      const before = await residentMiB();
      for (let index = 0; index < 5; index += 1) {
        expectRefused(await track(Buffer.from(bomb.subarray(0, MIB)), { 'content-encoding': encoding }), 413);
      }
      expect((await residentMiB()) - before).toBeLessThan(100);
    });

    it('bodies of 10 MB are 413, sized or chunked, also many at once', async () => {
      const body = Buffer.alloc(10 * MIB, ' ');
      for (const answer of await Promise.all([1, 2, 3, 4].map(() => track(body)))) expectRefused(answer, 413);
      const piece = Buffer.concat([
        Buffer.from('10000\r\n'),
        Buffer.alloc(0x10000, ' '),
        Buffer.from('\r\n'),
      ]);
      const pieces = Array.from({ length: 160 }, () => piece);
      const chunked = head('Content-Type: application/json', 'Transfer-Encoding: chunked');
      expect((await sendRaw(origin, [chunked, ...pieces])).status).toBe(413);
    });

    it('U+0000 and lone surrogates: 400 in ids and enums, U+FFFD elsewhere', async () => {
      for (const bad of ['\\u0000', '\\ud800', 'a\\udfffb']) {
        for (const field of ['event_type', 'session_id', 'user_id', 'device_id', 'client_event_id']) {
          const answer = await track(JSON.stringify(event({ [field]: '?' })).replace('"?"', `"${bad}"`));
          expectRefused(answer);
          expect(Object.keys(answer.body.error?.details ?? {})).toContain(field);
        }
        const id = randomUUID();
        const body = JSON.stringify(event({ client_event_id: id, properties: { note: '?' } })).replace(
          '"?"',
          `"${bad}"`,
        );
        expect((await track(body)).status).toBe(201);
        const [row] = await queryProduct<{ note: string }>(
          product,
          'ingestion',
          "select properties->>'note' as note from events where client_event_id = $1",
          [id],
        );
        expect(row?.note).toContain('\ufffd');
      }
    });

    it('__proto__, constructor and prototype as keys are dropped, and pollute nothing', async () => {
      const id = randomUUID();
      const body = JSON.stringify(event({ client_event_id: id, properties: { kept: 1 } })).replace(
        '"kept":1',
        '"kept":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"deep":{"prototype":2}',
      );
      expect((await track(body)).status).toBe(201);
      const rows = await queryProduct(
        product,
        'ingestion',
        'select properties from events where client_event_id = $1',
        [id],
      );
      expect(rows).toEqual([{ properties: { kept: 1, deep: {} } }]);
      expectRefused(await track('{"__proto__":{"event_type":"page_view","session_id":"s"}}'));
    });

    it('huge numbers are kept or refused, never a 500', async () => {
      for (const number of [
        '1e400',
        '-1e400',
        '9'.repeat(400),
        `0.${'1'.repeat(400)}`,
        '1e-400',
        '123456789012345678901234567890',
        '1e131071',
        '1e131072',
        '-1e-16383',
        '-1e-16384',
        `0.${'1'.repeat(16_384)}`,
        '1e999999999999',
      ]) {
        const body = JSON.stringify(event({ properties: { amount: '?' } })).replace('"?"', number);
        expect([201, 400]).toContain((await track(body)).status);
        const purchase = event({
          event_type: 'purchase',
          properties: { order_id: randomUUID(), total: '?' },
        });
        expect([201, 400]).toContain((await track(JSON.stringify(purchase).replace('"?"', number))).status);
      }
      // Analysts can compute with everything that is stored: the cast fails for a number beyond Postgres' range.
      const [cast] = await queryProduct<{ rows: number }>(
        product,
        'ingestion',
        'select count(properties::jsonb)::int as rows from events',
      );
      expect(cast?.rows).toBeGreaterThan(8);
    });

    it('any JSON at all is answered, and never by a 500 (the sanitiser)', async () => {
      const anything = fc.json({ maxDepth: 6, stringUnit: anyCharacter });
      const events = fc.record({
        event_type: fc.constantFrom('page_view', 'purchase', 'custom', 'search'),
        session_id: fc.string({ unit: anyCharacter, maxLength: 140 }),
        context: fc.record({
          page_url: fc.oneof(anyUrl, fc.string({ unit: anyCharacter })),
          user_agent: fc.string({ unit: anyCharacter, minLength: 1 }),
          title: fc.jsonValue({ stringUnit: anyCharacter }),
        }),
        properties: fc.dictionary(
          fc.oneof(
            fc.string({ unit: anyCharacter }),
            fc.constantFrom('__proto__', 'constructor', 'query', 'event_name'),
          ),
          fc.jsonValue({ stringUnit: anyCharacter }),
        ),
      });
      const bodies = fc.array(
        fc.oneof(
          anything,
          events.map((value) => JSON.stringify(value)),
        ),
        {
          minLength: 20,
          maxLength: 20,
        },
      );
      await fc.assert(
        fc.asyncProperty(bodies, async (texts) => {
          const answers = await Promise.all([
            ...texts.map((text) => track(text)),
            post('batch', `{"events":[${texts.join(',')}]}`),
          ]);
          for (const { status } of answers) expect([200, 201, 207, 400]).toContain(status);
        }),
        { numRuns: 15 },
      );
    });

    it('bytes at random are refused', async () => {
      for (let index = 0; index < 50; index += 1) expectRefused(await track(Buffer.from(randomBytes(200))));
    });

    async function residentMiB(): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${product.gateway.operationsPort}/metrics`);
      const bytes = /^process_resident_memory_bytes\{[^}]*\} (\S+)/m.exec(await response.text())?.[1];
      if (bytes === undefined) throw new Error('The metrics hold no resident memory.');
      return Number(bytes) / MIB;
    }
  });
}
