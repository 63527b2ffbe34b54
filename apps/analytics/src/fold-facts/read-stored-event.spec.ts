import { describe, expect, it } from '@jest/globals';
import { encodeStoredEvent } from '@truetally/contracts/facts';
import fc from 'fast-check';
import { readStoredEvent } from './read-stored-event.js';

const FACT = {
  event_id: 'e',
  site_id: 's',
  event_type: 'custom',
  session_id: 'a,"context":{}}',
  user_id: null,
  device_id: null,
  client_event_id: null,
  occurred_at: '2026-01-31T09:30:00.000Z',
  received_at: '2026-01-31T09:30:00.000Z',
  trust: 'server',
  is_bot: false,
  request_id: 'r',
} as const;
const TITLE = 'x'.repeat(60);
/** Few of them, so that some follow each other; each may be within another one. */
const contexts = [
  JSON.stringify({ page_title: TITLE }),
  `{ "page_title": "${TITLE}" }`,
  JSON.stringify({ n: 1, context: { page_title: TITLE } }),
  JSON.stringify({ context: { context: { page_title: TITLE } } }),
  JSON.stringify({ page_title: `,"context":{}}${TITLE}` }),
  '{}',
];
const context = fc.constantFrom(...contexts);

describe('a stored event that is read', () => {
  it('a stored event is what JSON.parse makes of its text, whatever was read before it', () => {
    const facts = fc.array(fc.tuple(fc.constantFrom('{}', ...contexts), context), { maxLength: 8 });
    fc.assert(
      fc.property(facts, (told) => {
        for (const [properties, own] of told) {
          const value = encodeStoredEvent(FACT, properties, own);
          expect(readStoredEvent(value)).toEqual(JSON.parse(value));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('a stored event has the very context of the one before where both have the same behind a third', () => {
    const [, second, third] = ['1', '2', '3'].map((session_id) =>
      readStoredEvent(encodeStoredEvent({ ...FACT, session_id }, '{}', contexts[0] ?? '')),
    );
    expect(third?.context).toBe(second?.context);
    expect(third?.session_id).toBe('3');
  });

  it('reading a stored event throws for a text that is no JSON, also with the end of the one before', () => {
    const value = encodeStoredEvent(FACT, '{}', contexts[0] ?? '');
    for (let time = 0; time < 3; time += 1) readStoredEvent(value);
    expect(() => readStoredEvent(value.replace('{"event_id"', '{event_id'))).toThrow(SyntaxError);
  });
});
