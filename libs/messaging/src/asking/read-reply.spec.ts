import { describe, expect, it } from '@jest/globals';
import { failure } from '@truetally/kernel';
import fc from 'fast-check';
import { readReply } from './read-reply.js';

const UNREADABLE = failure('INTERNAL_ERROR', 'The reply could not be read');

describe('readReply', () => {
  it('keeps every digit', () => {
    const text = '{"ok":{"price":1.1,"units":9007199254740993}}';
    expect(JSON.stringify(readReply(Buffer.from(text)))).toBe(text);
  });

  it('a reply is read as it was written, a refusal too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (ok) => {
        const written = JSON.stringify({ ok });
        expect(JSON.stringify(readReply(Buffer.from(written)))).toBe(written);
      }),
    );
    const refusal = failure('CONFLICT', 'Taken', { title: ['must be free'] });
    expect(readReply(Buffer.from(JSON.stringify(refusal)))).toEqual(refusal);
  });

  it.each(['', '7', 'null', '{"okay":1}', '{"ok":'])('answers %j with an error', (text) => {
    expect(readReply(Buffer.from(text))).toEqual(UNREADABLE);
  });
});
