import { describe, expect, it } from '@jest/globals';
import { failure } from '@truetally/kernel';
import fc from 'fast-check';
import { type IHeaders, type KafkaMessage } from 'kafkajs';
import {
  bundledReplies,
  decodeRequest,
  encodeHeaders,
  HEADER,
  readReply,
  repliesOf,
  type RequestHeaders,
  unpacked,
} from './wire.js';

const requests: fc.Arbitrary<RequestHeaders> = fc.record({
  correlationId: fc.string({ minLength: 1 }),
  replyTopic: fc.option(fc.string(), { nil: undefined }),
  deadlineMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  timeoutMs: fc.integer({ min: 0, max: 600_000 }),
  kind: fc.constantFrom('command', 'query'),
  operation: fc.option(fc.stringMatching(/^[a-z-]{1,30}$/), { nil: undefined }),
  weight: fc.integer({ min: 1, max: 100_000 }),
  requestId: fc.option(fc.string(), { nil: undefined }),
  holder: fc.option(fc.string(), { nil: undefined }),
  traceparent: fc.option(fc.string(), { nil: undefined }),
});

describe('a request on the wire', () => {
  it('a request on the wire is read as it was written', () => {
    fc.assert(
      fc.property(requests, fc.string({ unit: 'grapheme' }), (headers, value) => {
        const request = decodeRequest(
          'topic',
          3,
          message({ headers: asBuffers(encodeHeaders(headers)), value }),
        );
        // Only a query has a deadline.
        const { deadlineMs, ...given } = withoutUndefined(headers);
        const expected = {
          ...given,
          ...(headers.kind === 'query' && { deadlineMs }),
          timeoutMs: undefined,
        };
        expect({ ...Object(request), timeoutMs: undefined }).toMatchObject({
          ...expected,
          topic: 'topic',
          partition: 3,
          value,
        });
      }),
    );
  });

  it('a request on the wire has one header, unless a value has a line end, and a letter all of them', () => {
    fc.assert(
      fc.property(requests, (headers) => {
        const written = encodeHeaders(headers);
        const plain = unpacked(asBuffers(written));
        const hasLineEnd = Object.values(headers).some((value) => String(value).includes('\n'));
        expect(Object.keys(written).length === 1).toBe(!hasLineEnd);
        expect(String(plain[HEADER.correlationId])).toBe(headers.correlationId);
        expect(Object.keys(plain)).not.toContain(HEADER.ask);
      }),
    );
  });

  it('a request on the wire is a request or a reason, whatever bytes come in', () => {
    const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
    const header = fc.oneof(bytes, fc.array(bytes, { maxLength: 2 }), fc.constant(undefined));
    const garbage = fc.record({
      headers: fc.dictionary(fc.oneof(fc.constantFrom(...Object.values(HEADER)), fc.string()), header),
      value: fc.option(bytes),
      key: fc.option(bytes),
    });
    fc.assert(
      fc.property(garbage, ({ headers, value, key }) => {
        const decoded = decodeRequest('topic', 0, { ...message({ headers, value: '' }), value, key });
        expect(typeof decoded === 'string' || decoded.weight > 0).toBe(true);
      }),
    );
  });

  it.each([
    ['no headers', {}, 'contract version missing'],
    ['a contract of the future', { [HEADER.contract]: '2' }, 'contract version 2'],
    ['no correlation id', { [HEADER.contract]: '1' }, 'no correlation id'],
    ['a weight of nothing', { ...minimal(), [HEADER.weight]: '0' }, 'weight 0'],
    ['a deadline in words', { ...minimal(), [HEADER.deadline]: 'soon' }, 'deadline soon'],
    ['a timeout in words', { ...minimal(), [HEADER.timeout]: 'long' }, 'timeout long'],
    ['an unknown kind', { ...minimal(), [HEADER.kind]: 'wish' }, 'kind wish'],
  ])('a request on the wire with %s is not read', (_, headers, reason) => {
    expect(decodeRequest('topic', 0, message({ headers: asBuffers(headers), value: 'v' }))).toContain(reason);
  });

  it('a request that its broker has stamped ends by the time of the broker, and by its asker’s', () => {
    const headers = asBuffers({ ...minimal(), [HEADER.deadline]: '5', [HEADER.timeout]: '10000' });
    const asked = { ...message({ headers, value: 'v' }), timestamp: '1800000000000' };
    const unstamped = decodeRequest('topic', 0, asked);
    expect(unstamped).toMatchObject({ deadlineMs: 5, isStamped: false });
    expect(unstamped).not.toHaveProperty('brokerDeadlineMs');
    const stamped = { ...asked, batchContext: { timestampType: 1 } };
    expect(decodeRequest('topic', 0, stamped)).toMatchObject({
      deadlineMs: 5,
      brokerDeadlineMs: 1_800_000_010_000,
      isStamped: true,
      writtenMs: 1_800_000_000_000,
    });
  });

  it('a request on the wire without a value is not read', () => {
    const empty = { ...message({ headers: asBuffers(minimal()), value: '' }), value: null };
    expect(decodeRequest('topic', 0, empty)).toBe('no value');
  });
});

function minimal(): IHeaders {
  return { [HEADER.contract]: '1', [HEADER.correlationId]: 'id' };
}

function message({ headers, value }: { headers: IHeaders; value: string }): KafkaMessage {
  return { headers, value: Buffer.from(value), key: null, offset: '0', timestamp: '0', attributes: 0 };
}

function asBuffers(headers: IHeaders): IHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? Buffer.from(value) : value,
    ]),
  );
}

function withoutUndefined(headers: RequestHeaders): Partial<RequestHeaders> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

const UNREADABLE = failure('INTERNAL_ERROR', 'The reply could not be read');

describe('replies of one send', () => {
  const texts = fc.string({ unit: 'binary-ascii' });
  const replies = fc.array(fc.record({ key: texts, value: texts }), { minLength: 1 });
  const written = (text: unknown): Buffer | null => (typeof text === 'string' ? Buffer.from(text) : null);

  it('replies of one send are one record, unless there is one, or a text has what is between them', () => {
    fc.assert(
      fc.property(replies, (given) => {
        const texts = given.flatMap(({ key, value }) => [key, value]);
        const records = bundledReplies(given);
        const isOne = given.length === 1 || !texts.some((text) => text.includes('\0'));
        expect(records).toHaveLength(isOne ? 1 : given.length);
        expect(records.some(({ key }) => key === null)).toBe(isOne && given.length > 1);
        const read = records.flatMap(({ key, value }) =>
          repliesOf({ key: written(key), value: written(value) }),
        );
        expect(read.slice(0, texts.length)).toEqual(texts);
        expect(read.slice(texts.length).join('')).toBe('');
      }),
    );
  });

  it('replies of one send with no value are none', () => {
    expect(repliesOf({ key: null, value: null })).toEqual([]);
  });
});

describe('readReply', () => {
  it('keeps every digit', () => {
    const text = '{"ok":{"price":1.1,"units":9007199254740993}}';
    expect(JSON.stringify(readReply(text))).toBe(text);
  });

  it('a reply is read as it was written, a refusal too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (ok) => {
        const written = JSON.stringify({ ok });
        expect(JSON.stringify(readReply(written))).toBe(written);
      }),
    );
    const refusal = failure('CONFLICT', 'Taken', { title: ['must be free'] });
    expect(readReply(JSON.stringify(refusal))).toEqual(refusal);
  });

  it.each(['', '7', 'null', '{"okay":1}', '{"ok":'])('answers %j with an error', (text) => {
    expect(readReply(text)).toEqual(UNREADABLE);
  });
});
