import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import {
  ATTRIBUTION_LEDGER,
  decodeRecordTouches,
  MAX_TOUCHES_PER_REQUEST,
  readTouchVerdicts,
  type RecordTouches,
  type TouchCommand,
} from './index.js';

const TOUCH: TouchCommand = {
  touch_id: 't-1',
  provider: 'awin',
  direction: 'inbound',
  partner_id: null,
  landing_path: '/shoes',
  occurred_at: '2026-01-31T09:30:00.000Z',
  provenance: 'browser_sdk',
  session_id: 's-1',
  click: { key_id: 'k-1', sealed: 'AAAA', hash: 'f'.repeat(64) },
  fingerprint: 'a'.repeat(64),
};
const REQUEST: RecordTouches = { site_id: 'site', request_id: 'request', touches: [TOUCH] };

const text = fc.string({ unit: anyCharacter }).filter((value) => value.isWellFormed());
const optional = fc.option(text);
const touch = fc.record<TouchCommand>({
  touch_id: text,
  provider: text,
  direction: fc.constantFrom('inbound', 'outbound'),
  partner_id: optional,
  landing_path: optional,
  occurred_at: text,
  provenance: fc.constantFrom('browser_sdk', 'native_sdk', 'server'),
  session_id: optional,
  click: fc.option(fc.record({ key_id: text, sealed: text, hash: text })),
  fingerprint: text,
});
const request = fc.record<RecordTouches>({
  site_id: text,
  request_id: text,
  touches: fc.uniqueArray(touch, {
    minLength: 1,
    maxLength: MAX_TOUCHES_PER_REQUEST,
    selector: ({ touch_id }) => touch_id,
  }),
});

describe('the message of record-touches', () => {
  it('the message of record-touches is read back as it was written', () => {
    fc.assert(
      fc.property(request, (written) => {
        expect(decodeRecordTouches(JSON.stringify(written))).toEqual({ ok: true, value: written });
      }),
    );
  });

  it('never throws, whatever it holds', () => {
    const almost = fc.tuple(fc.jsonValue(), fc.jsonValue()).map(([touches, click]) => ({
      ...REQUEST,
      touches: Array.isArray(touches) ? touches : [{ ...TOUCH, click }],
    }));
    fc.assert(fc.property(almost, (value) => void decodeRecordTouches(JSON.stringify(value))));
    fc.assert(fc.property(fc.string(), (message) => void decodeRecordTouches(message)));
  });

  it.each([
    ['[]', 'not a JSON object'],
    ['{', 'not a JSON object'],
    ['{}', 'unreadable: touches, site_id, request_id'],
    [JSON.stringify({ ...REQUEST, touches: [] }), 'not 1 to 20 touches'],
    [
      JSON.stringify({
        ...REQUEST,
        touches: Array.from({ length: 21 }, (_, n) => ({ ...TOUCH, touch_id: `${n}` })),
      }),
      'not 1 to 20 touches',
    ],
    [JSON.stringify({ ...REQUEST, touches: [TOUCH, TOUCH] }), 'a touch_id comes twice'],
    [JSON.stringify({ ...REQUEST, touches: [1] }), 'unreadable: touches'],
    [JSON.stringify({ ...REQUEST, touches: [{ ...TOUCH, direction: 'sideways' }] }), 'unreadable: direction'],
    [
      JSON.stringify({ ...REQUEST, touches: [{ ...TOUCH, click: 'plain' }] }),
      'unreadable: click, key_id, sealed, hash',
    ],
  ])('refuses case %# by name', (message, fault) => {
    expect(decodeRecordTouches(message)).toEqual({ ok: false, error: fault });
  });
});

describe('the reply to record-touches', () => {
  const verdict = { touch_id: 't-1', id: 'id-1', status: 'created', recorded_at: '2026-01-31T09:30:00.000Z' };

  it('the reply to record-touches is read when it names the touches that were asked for', () => {
    expect(readTouchVerdicts({ touches: [verdict] }, ['t-1'])).toEqual({ ok: true, value: [verdict] });
  });

  it.each([
    [undefined, 'a reply to 1 touches has as many verdicts'],
    [{ touches: [] }, 'a reply to 1 touches has as many verdicts'],
    [{ touches: [{ ...verdict, touch_id: 't-2' }] }, 'touches.0 of the reply is another touch'],
    [{ touches: [{ ...verdict, status: 'stored' }] }, 'touches.0 of the reply is not a verdict'],
    [{ touches: [null] }, 'touches.0 of the reply is not a verdict'],
  ])('%j is refused', (ok, fault) => {
    expect(readTouchVerdicts(ok, ['t-1'])).toEqual({ ok: false, error: fault });
  });
});

describe('list-touches', () => {
  const { listTouches } = ATTRIBUTION_LEDGER.operations;
  const asked = { site_id: 'site', limit: 50, cursor: null };
  const readPage = listTouches.answerReader(asked);

  it('the message of list-touches is read back as it was written', () => {
    expect(listTouches.read(JSON.parse(listTouches.encode(asked)))).toEqual({ ok: true, value: asked });
    expect(listTouches.read({ ...asked, limit: '50' })).toEqual({ ok: false, error: 'unreadable: limit' });
  });

  it('the answer of list-touches has nothing but the fields of a touch as it is shown', () => {
    const { click, fingerprint, ...shown } = TOUCH;
    const row = { ...shown, id: 'id-1', recorded_at: '2026-01-31T09:30:00.000Z' };
    const page = readPage({ items: [{ ...row, click, fingerprint }], next_cursor: 'next' });
    expect(page).toEqual({ ok: true, value: { items: [row], next_cursor: 'next' } });
    expect(readPage({ items: [{ ...row, id: 1 }], next_cursor: null })).toEqual({
      ok: false,
      error: 'unreadable: id',
    });
    expect(readPage(null)).toEqual({ ok: false, error: 'not an object' });
  });
});
