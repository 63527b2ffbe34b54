import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { REFUSALS, type RefusalName } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse } from '../../http/respond.js';
import { EdgeHarness, type HarnessRoute, ORIGIN } from '../../testing/edge-harness.js';
import { open, type RawAnswer, readAnswer } from '../../testing/raw-http.js';

const ROUTE: HarnessRoute = {
  method: 'POST',
  path: '/api/v1/events/track',
  credential: 'event-writer',
  knownQuery: new Map(),
  body: { of: [], limitBytes: 64 * 1024, isOptional: false, costOf: () => 1 },
};
/** What two answers to one request differ by. */
const VARYING = /^(Date|X-RateLimit-Remaining): .*$|"timestamp":"[^"]*"/gm;
/** RFC 9110: a token, and a value without control characters. */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\x20-\x7e]+$/;

let harness: EdgeHarness;
let origin: string;
/** How the route answers next. */
let respond: (exchange: Exchange) => void;
const readers: ('lane' | 'node')[] = [];

beforeAll(async () => {
  const controller = (exchange: Exchange): void => {
    readers.push(exchange.request.takeBody === undefined ? 'node' : 'lane');
    respond(exchange);
  };
  harness = new EdgeHarness({ routes: [ROUTE], controller });
  harness.perHour = 1_000_000;
  origin = await harness.open();
});

afterAll(() => harness.close());

/** The answers of both readers to the same request: a connection's first one is Node's. */
async function answersOfBoth(more: readonly string[] = []): Promise<readonly [RawAnswer, RawAnswer]> {
  const head = [
    `POST ${ROUTE.path} HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${harness.apiKey(['events:write'])}`,
    'X-Request-Id: the-same-for-both',
    'Content-Type: application/json',
    'Content-Length: 2',
    ...more,
  ];
  const bytes = `${head.join('\r\n')}\r\n\r\n{}`;
  readers.length = 0;
  const socket = await open(origin);
  const ask = (on: Socket): Promise<RawAnswer> => {
    const answered = readAnswer(on);
    on.write(bytes);
    return answered;
  };
  const both = [await ask(socket), await ask(socket)] as const;
  expect(readers).toEqual(['node', 'lane']);
  socket.destroy();
  return both;
}

function comparable({ status, headers, body }: RawAnswer): object {
  return { status, headers: headers.replaceAll(VARYING, '$1'), body: body.replaceAll(VARYING, '') };
}

async function expectTheSame(more?: readonly string[]): Promise<void> {
  const [ofNode, ofLane] = await answersOfBoth(more);
  expect(comparable(ofLane)).toEqual(comparable(ofNode));
  const [, ...lines] = ofLane.headers.split('\r\n');
  expect(lines.filter((line) => !HEADER.test(line))).toEqual([]);
}

describe('the head of an answer of the lane', () => {
  it.each(Object.keys(REFUSALS) as RefusalName[])(
    'a head of the lane is the one that Node writes of the refusal %s',
    async (name) => {
      respond = (exchange) => refuse(exchange, name);
      await expectTheSame();
    },
  );

  it('a head of the lane is the one that Node writes of an answer, to a listed origin as well', async () => {
    respond = (exchange) => answer(exchange, 201, '{"name":"ä"}');
    await expectTheSame();
    await expectTheSame([`Origin: ${ORIGIN}`]);
  });

  it('a head of the lane has nothing of a request but what stands in its line', async () => {
    respond = (exchange) => answer(exchange, 201, '{}');
    const value = fc.stringMatching(/^[\x21-\x7e](?:[\x20-\x7e]{0,60}[\x21-\x7e])?$/);
    await fc.assert(
      fc.asyncProperty(value, value, async (given, agent) => {
        await expectTheSame([`Origin: ${given}`, `User-Agent: ${agent}`, `Traceparent: ${given}`]);
      }),
      { numRuns: 60 },
    );
  });
});
