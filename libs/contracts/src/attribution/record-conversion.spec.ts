import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeRecordConversion, encodeRecordConversion, type RecordConversion } from '../index.js';
import { anyCommand } from './commands.fixture.js';

const anyRequest: fc.Arbitrary<RecordConversion> = fc.record({
  siteId: fc.uuid(),
  requestId: fc.string(),
  fingerprint: fc.string(),
  command: anyCommand,
});

describe('a conversion on its way to the ledger', () => {
  it('arrives as it was sent, to the last minor unit', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(decodeRecordConversion(encodeRecordConversion(request))).toEqual({ ok: true, value: request });
      }),
    );
  });

  it('is refused, and never throws, when any part of it is missing or of another kind', () => {
    const spoilt = fc.constantFrom<unknown>(7, 'x', {}, [1], [[]], true);
    fc.assert(
      fc.property(anyRequest, fc.nat(), spoilt, (request, at, value) => {
        const message = JSON.parse(encodeRecordConversion(request)) as Record<string, unknown>;
        const names = Object.keys(message);
        const name = names[at % names.length] ?? '';
        if (typeof message[name] === typeof value && !Array.isArray(value)) return;
        message[name] = value;
        const decoded = decodeRecordConversion(JSON.stringify(message));
        expect(decoded.ok).toBe(false);
        if (!decoded.ok) expect(decoded.error).toMatch(/^unreadable: [a-z_, ]+$/);
      }),
    );
  });

  it('never throws for anything else', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('', 'null', '[]', '{"event_type":"purchase"}'),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeRecordConversion(text).ok).toBe(false);
      }),
    );
  });
});
