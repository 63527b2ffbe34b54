import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Exchange } from '../../http/exchange.js';
import { answer } from '../../http/respond.js';
import { converse, type Reader } from '../../testing/conversation.js';
import { EdgeHarness, type HarnessRoute, ORIGIN } from '../../testing/edge-harness.js';

const PATH = '/api/v1/events/track';
const ORDERS_PATH = '/api/v1/partner-attribution/conversions';
const LIMIT_BYTES = 1_024;
const ROUTE: HarnessRoute = {
  method: 'POST',
  path: PATH,
  credential: 'event-writer',
  knownQuery: new Map(),
  body: { of: [], limitBytes: LIMIT_BYTES, isOptional: false, costOf: () => 1 },
};
const EVENT = '{"event_type":"page_view"}';
const TYPE = 'Content-Type: application/json';
const BROWSER = [
  'Connection: keep-alive',
  'Pragma: no-cache',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64)',
  `Origin: ${ORIGIN}`,
  'Accept: */*',
  'Sec-Fetch-Site: cross-site',
  'Referer: https://shop.example/',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: en-GB,en;q=0.9',
  'Cookie: session=1; consent=yes',
];
/** What ingress-nginx adds to a request that it passes on. */
const INGRESS = [
  'X-Request-ID: 6b1d0d1f5a0b4c0f8f3f6f3c1b9f2a11',
  'X-Real-IP: 203.0.113.9',
  'X-Forwarded-For: 203.0.113.9',
  'X-Forwarded-Host: api.example',
  'X-Forwarded-Port: 443',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Scheme: https',
  'X-Scheme: https',
  'X-Original-Forwarded-For: 198.51.100.7',
];

interface Side {
  readonly harness: EdgeHarness;
  readonly key: string;
  /** Who read each admitted request, and its body. */
  readonly admitted: { readonly by: Reader; readonly body: unknown }[];
}

/** Answers some requests later, so that more of the connection arrives meanwhile. */
async function openSide(hasLane: boolean): Promise<Side> {
  const admitted: Side['admitted'] = [];
  const controller = (exchange: Exchange): void => {
    const body = exchange.takeBody();
    admitted.push({ by: exchange.request.takeBody === undefined ? 'node' : 'lane', body });
    setImmediate(() => answer(exchange, 201, JSON.stringify({ body, sent: exchange.traceparent })));
  };
  const harness = new EdgeHarness({ routes: [ROUTE, { ...ROUTE, path: ORDERS_PATH }], controller, hasLane });
  harness.perHour = 1e9;
  await harness.open();
  return { harness, key: harness.apiKey(['events:write']), admitted };
}

describe('the two readers of HTTP', () => {
  let sides: readonly [node: Side, lane: Side];

  beforeAll(async () => {
    sides = [await openSide(false), await openSide(true)];
  });

  afterAll(() => Promise.all(sides.map(({ harness }) => harness.close())));

  /** As long as a key. */
  const KEY = '@'.repeat(55);
  const head = (lines: readonly string[], line = `POST ${PATH} HTTP/1.1`): string =>
    [line, 'Host: api.example', `X-API-Key: ${KEY}`, ...lines, '', ''].join('\r\n');
  const whole = (body: string, lines: readonly string[] = [TYPE], line?: string): string =>
    head([...lines, `Content-Length: ${body.length}`], line) + body;
  const PLAIN = whole(EVENT);
  const GET = head([], 'GET /api/v1/other HTTP/1.1');
  const PREFLIGHT = head(
    [`Origin: ${ORIGIN}`, 'Access-Control-Request-Method: POST'],
    `OPTIONS ${PATH} HTTP/1.1`,
  );

  /** Both sides' answers behind a first plain request, and who read what was admitted of the rest. */
  async function compare(pieces: readonly string[]): Promise<{ text: string; readers: readonly Reader[] }> {
    const texts: string[] = [];
    const bodies: unknown[] = [];
    for (const { harness, key, admitted } of sides) {
      admitted.length = 0;
      harness.consumed.clear();
      const text = pieces.join('').replaceAll(KEY, key);
      let start = 0;
      const sent = pieces.map(({ length }) => text.slice(start, (start += length)));
      texts.push(await converse(harness, PLAIN.replace(KEY, key), sent));
      bodies.push(admitted.map(({ body }) => body));
    }
    const [atNode, atLane] = texts;
    expect(atLane).toBe(atNode);
    expect(bodies[1]).toEqual(bodies[0]);
    return { text: atLane ?? '', readers: sides[1].admitted.slice(1).map(({ by }) => by) };
  }

  const statusesIn = (text: string): readonly number[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

  it.each<[string, readonly string[], readonly Reader[], readonly number[]]>([
    ['a plain request', [PLAIN], ['lane'], [201]],
    ['an order', [whole(EVENT, [TYPE], `POST ${ORDERS_PATH} HTTP/1.1`)], ['lane'], [201]],
    ['one of a browser', [whole(EVENT, [TYPE, ...BROWSER])], ['lane'], [201]],
    ['one behind an ingress', [whole(EVENT, [TYPE, ...BROWSER.slice(1), ...INGRESS])], ['lane'], [201]],
    [
      'a traced one',
      [whole(EVENT, [TYPE, `Traceparent: 00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`])],
      ['lane'],
      [201],
    ],
    ['an id of the client', [whole(EVENT, [TYPE, 'X-Request-Id: request-0001'])], ['lane'], [201]],
    ['an id of another form', [whole(EVENT, [TYPE, 'X-Request-Id: no id'])], ['lane'], [201]],
    ['two, one after the other', [PLAIN, PLAIN], ['lane', 'lane'], [201, 201]],
    ['a charset', [whole(EVENT, ['content-TYPE: application/json; charset=UTF-8'])], ['lane'], [201]],
    ['no credential', [PLAIN.replace(`X-API-Key: ${KEY}\r\n`, '')], [], [401]],
    ['two credentials', [whole(EVENT, [TYPE, 'Authorization: Bearer abc'])], [], [401]],
    ['another media type', [whole(EVENT, ['Content-Type: text/html'])], [], [415]],
    ['no media type', [whole(EVENT, [])], [], [415]],
    ['an empty body', [whole('')], [], [400]],
    ['no JSON', [whole('{"a":')], [], [400]],
    ['a name twice', [whole('{"a":1,"a":2}')], [], [400]],
    ['no UTF-8', [whole('{"a":"\xff"}')], [], [400]],
    ['a body beyond its limit', [whole(JSON.stringify('x'.repeat(LIMIT_BYTES)))], [], [413]],
    ['a refusal before a good one', [whole('{"a":'), PLAIN], ['lane'], [400, 201]],
    ['one behind a reading', [GET, PLAIN], ['lane'], [404, 201]],
    ['one behind a preflight', [PREFLIGHT, PLAIN], ['lane'], [204, 201]],
    [
      'one behind another route',
      [whole(EVENT, [TYPE], 'PATCH /api/v1/other HTTP/1.1'), PLAIN],
      ['lane'],
      [404, 201],
    ],
    [
      'one behind a body in an encoding that nobody reads',
      [whole(EVENT, [TYPE, 'Content-Encoding: compress']), PLAIN],
      ['lane'],
      [415, 201],
    ],
    ['one behind a query', [whole(EVENT, [TYPE], `POST ${PATH}?a=1 HTTP/1.1`), PLAIN], ['lane'], [400, 201]],
  ])('the lane answers as Node does: %s', async (_name, pieces, readers, statuses) => {
    const compared = await compare(pieces);
    expect([compared.readers, statusesIn(compared.text)]).toEqual([readers, statuses]);
  });

  const inBody = whole(EVENT, [TYPE, 'X-Request-Id: smuggled-request']);
  const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

  it.each<[string, readonly string[], readonly Reader[], readonly number[]]>([
    ['another method', [whole(EVENT, [TYPE], `PUT ${PATH} HTTP/1.1`)], [], [405]],
    ['another path', [whole(EVENT, [TYPE], 'POST /api/v1/events/other HTTP/1.1')], [], [404]],
    ['a query', [whole(EVENT, [TYPE], `POST ${PATH}?a=1 HTTP/1.1`)], [], [400]],
    ['a fragment', [whole(EVENT, [TYPE], `POST ${PATH}#a HTTP/1.1`)], [], [400]],
    ['an escape', [whole(EVENT, [TYPE], `POST ${PATH.replace('t', '%74')} HTTP/1.1`)], [], [404]],
    ['the absolute form', [whole(EVENT, [TYPE], `POST http://x${PATH} HTTP/1.1`)], ['node'], [201]],
    ['HTTP/1.0', [whole(EVENT, [TYPE], `POST ${PATH} HTTP/1.0`)], ['node'], [201]],
    ['a method in small letters', [whole(EVENT, [TYPE], `post ${PATH} HTTP/1.1`)], [], [400]],
    ['two blanks in the request line', [whole(EVENT, [TYPE], `POST  ${PATH} HTTP/1.1`)], ['node'], [201]],
    ['empty lines before it', [`\r\n\r\n${PLAIN}`], ['node'], [201]],
    ['no length', [head([TYPE])], [], [400]],
    ['two lengths', [head([TYPE, 'Content-Length: 2', 'Content-Length: 26']) + EVENT], [], [400]],
    ['the same length twice', [head([TYPE, 'Content-Length: 26', 'Content-Length: 26']) + EVENT], [], [400]],
    ['a list of lengths', [head([TYPE, 'Content-Length: 26, 26']) + EVENT], [], [400]],
    ['a length with a sign', [head([TYPE, 'Content-Length: +26']) + EVENT], [], [400]],
    ['a length with a zero before it', [head([TYPE, 'Content-Length: 026']) + EVENT], ['node'], [201]],
    ['a hexadecimal length', [head([TYPE, 'Content-Length: 0x1a']) + EVENT], [], [400]],
    ['a length with blanks', [head([TYPE, 'Content-Length:   26  ']) + EVENT], ['node'], [201]],
    ['chunks', [head([TYPE, 'Transfer-Encoding: chunked']) + chunked(EVENT)], ['node'], [201]],
    [
      'chunks and a length',
      [head([TYPE, 'Transfer-Encoding: chunked', 'Content-Length: 26']) + EVENT],
      [],
      [400],
    ],
    [
      'a hidden encoding',
      [head([TYPE, 'Transfer-Encoding: xchunked', 'Content-Length: 26']) + EVENT],
      [],
      [400],
    ],
    [
      'an encoding with a tab',
      [head([TYPE, 'Transfer-Encoding:\tchunked', 'Content-Length: 26']) + EVENT],
      [],
      [400],
    ],
    ['an encoding of the body', [whole(EVENT, [TYPE, 'Content-Encoding: gzip'])], [], [400]],
    ['an expectation', [whole(EVENT, [TYPE, 'Expect: 100-continue'])], ['node'], [100, 201]],
    ['an unknown expectation', [whole(EVENT, [TYPE, 'Expect: magic'])], [], [400]],
    ['an upgrade', [whole(EVENT, [TYPE, 'Connection: upgrade', 'Upgrade: h2c'])], [], [400]],
    ['the last request', [whole(EVENT, [TYPE, 'Connection: close'])], ['node'], [201]],
    ['a header that nobody knows', [whole(EVENT, [TYPE, 'X-Unknown: 1'])], ['node'], [201]],
    ['a repeated header', [whole(EVENT, [TYPE, 'X-Real-IP: 1', 'X-Real-IP: 2'])], ['node'], [201]],
    ['no host', [PLAIN.replace('Host: api.example\r\n', '')], [], [400]],
    ['two hosts', [whole(EVENT, [TYPE, 'Host: other.example'])], [], [400]],
    ['a blank before a colon', [whole(EVENT, [TYPE, 'Accept : */*'])], [], [400]],
    ['a folded header', [whole(EVENT, [TYPE, 'Accept: a', ' b'])], [], [400]],
    ['a line without a colon', [whole(EVENT, [TYPE, 'Accept'])], [], [400]],
    ['a value without a blank', [whole(EVENT, [TYPE, 'Accept:*/*'])], ['node'], [201]],
    ['an empty value', [whole(EVENT, [TYPE, 'Accept: '])], ['node'], [201]],
    ['a zero byte in a value', [whole(EVENT, [TYPE, 'Accept: a\0b'])], [], [400]],
    ['a tab in a value', [whole(EVENT, [TYPE, 'Accept: a\tb'])], ['node'], [201]],
    ['a value beyond ASCII', [whole(EVENT, [TYPE, 'Accept: \xe4'])], ['node'], [201]],
    ['bare line feeds', [PLAIN.replaceAll('\r\n', '\n')], [], [400]],
    ['a bare carriage return', [whole(EVENT, [TYPE, 'Accept: a\rX: b'])], [], [400]],
    ['a long head', [whole(EVENT, [TYPE, `Cookie: ${'a'.repeat(9_000)}`])], ['node'], [201]],
    ['a head beyond the limit', [whole(EVENT, [TYPE, `Cookie: ${'a'.repeat(17_000)}`])], [], [400]],
    ['no HTTP at all', ['\x16\x03\x01\x02\x00\x01'], [], [400]],
    ['two in one piece', [PLAIN + PLAIN], ['node', 'node'], [201, 201]],
    ['one and a half', [PLAIN + PLAIN.slice(0, 40), PLAIN.slice(40)], ['node', 'node'], [201, 201]],
    ['rubbish behind it', [`${PLAIN}BREW / HTTP/1.1\r\n\r\n`], ['node'], [201, 400]],
    ['two halves', [PLAIN.slice(0, 70), PLAIN.slice(70)], ['node'], [201]],
    ['its body apart', [PLAIN.slice(0, -EVENT.length), EVENT], ['node'], [201]],
    ['never its end', [PLAIN.slice(0, -5)], [], [400]],
    [
      'what follows another reader',
      [whole(EVENT, [TYPE, 'X-Unknown: 1']), PLAIN],
      ['node', 'node'],
      [201, 201],
    ],
    ['what follows a last request', [head(['Connection: close'], 'GET /other HTTP/1.1'), PLAIN], [], [404]],
    [
      'rubbish behind a last request, and whatever follows',
      [`${GET.replace(' HTTP', ':HTTP')}BREW / HTTP/1.1\r\n\r\n`, 'B', 'R', 'E', 'W'],
      [],
      [404],
    ],
    [
      'what follows a body without a length',
      [head([TYPE], 'PATCH /other HTTP/1.1'), PLAIN],
      ['node'],
      [404, 201],
    ],
    // Each of these has a whole request of the lane as a body, which must not be read as a request.
    ['a request as a body', [head([TYPE, `Content-Length: ${inBody.length}`]), inBody], [], [400]],
    [
      'a request as a chunk',
      [
        head([TYPE, 'Transfer-Encoding: chunked', '']).slice(0, -2),
        `${inBody.length.toString(16)}\r\n`,
        inBody,
        '\r\n0\r\n\r\n',
      ],
      [],
      [400],
    ],
    [
      'a request as a refused body',
      [head(['Content-Type: text/html', `Content-Length: ${inBody.length}`]), inBody],
      [],
      [415],
    ],
    [
      'a request as the body of a path',
      [head([TYPE, `Content-Length: ${inBody.length}`], 'POST /other HTTP/1.1'), inBody],
      [],
      [404],
    ],
  ])("a connection with anything else is Node's: %s", async (_name, pieces, readers, statuses) => {
    const compared = await compare(pieces);
    expect([compared.readers, statusesIn(compared.text)]).toEqual([readers, statuses]);
  });

  it('whatever bytes a client changes and wherever it cuts them, both readers answer the same', async () => {
    const change = fc.record({
      at: fc.nat(),
      drop: fc.nat({ max: 3 }),
      put: fc.constantFrom(
        '',
        '\r\n',
        '\n',
        ' ',
        ':',
        '0',
        'Content-Length: 3\r\n',
        'Transfer-Encoding: chunked\r\n',
        PLAIN,
      ),
    });
    const requests = fc.array(
      fc.constantFrom(PLAIN, GET, inBody, whole('{"a":'), whole(EVENT, [TYPE, ...BROWSER])),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.array(change, { maxLength: 2 }),
        fc.array(fc.nat(), { maxLength: 3 }),
        async (sent, changes, cuts) => {
          let text = sent.join('');
          for (const { at, drop, put } of changes) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + put + text.slice(place + drop);
          }
          const places = [
            0,
            ...cuts.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other),
            text.length,
          ];
          const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
          await compare(pieces.filter((piece) => piece !== ''));
        },
      ),
      { numRuns: 100 },
    );
  });
});
