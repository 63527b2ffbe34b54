import { describe, expect, it } from '@jest/globals';
import { clickMatchFields, clickSealContext } from '@truetally/contracts/attribution';
import type { PartnerSettings } from '@truetally/contracts/facts';
import { readJson } from '@truetally/kernel';
import { Keyring, newKey, newKeyring } from '@truetally/keyring';
import fc from 'fast-check';
import { type PreparedTouch, prepareTouches } from './prepare-touches.js';
import { sealTouch } from './seal-touch.js';
import { BASE_TOUCH } from '../../testing/touch-page.js';
import { goldenTouches, touchOf } from '../../testing/golden-touches.js';

const NOW_MS = Date.parse('2026-06-15T12:00:00.000Z');
/** The fields of a touch besides its click. */
const FIELDS = Object.keys(BASE_TOUCH).filter(
  (name) => !['schema_version', 'provider_click_id'].includes(name),
);
const PARTNER: PartnerSettings = {
  providers: ['awin', 'cj'],
  touch_limit: 20,
  attribution_model: 'linear',
  lookback_days: null,
};

function prepareBody(body: unknown, partner = PARTNER) {
  const reading = readJson(JSON.stringify(body));
  if (!reading.ok) throw new Error(reading.error.message);
  return prepareTouches({ body: reading.value.value, partner, nowMs: NOW_MS });
}
const prepare = (...touches: readonly unknown[]) => prepareBody({ touches });
function accepted(touch: unknown): PreparedTouch {
  const prepared = prepare(touch);
  const first = prepared.ok ? prepared.value[0] : undefined;
  if (first === undefined) throw new Error(JSON.stringify(prepared));
  return first;
}

describe('interface page, section 5: a touch is accepted', () => {
  it.each(goldenTouches('ok'))('%s', (_name, golden) => {
    const sent = touchOf(golden);
    const { clickValue, ...touch } = accepted(sent);
    const fields = FIELDS.map((name) => [name, sent[name] ?? null] as const);
    expect(touch).toEqual({ ...Object.fromEntries(fields), ...golden.stored });
    expect(clickValue).toBe(golden.click === undefined ? sent['provider_click_id'] : golden.click);
  });
});

describe('interface page, section 5: a touch is refused', () => {
  it.each(goldenTouches('not-ok'))('%s', (_name, golden) => {
    expect(prepare(touchOf(golden))).toEqual({ ok: false, error: golden.details });
  });

  it('touches are refused with every broken rule at once, each touch by its place', () => {
    const prepared = prepare(
      BASE_TOUCH,
      { ...BASE_TOUCH, touch_id: '', landing_path: 'x', provider: 'other' },
      7,
      { ...BASE_TOUCH, partner_id: 'another' },
      {},
    );
    expect(prepared.ok ? [] : Object.keys(prepared.error).sort()).toEqual([
      'touches.1.landing_path',
      'touches.1.provider',
      'touches.1.touch_id',
      'touches.2',
      'touches.3.touch_id',
      'touches.4.direction',
      'touches.4.occurred_at',
      'touches.4.provenance',
      'touches.4.provider',
      'touches.4.schema_version',
      'touches.4.touch_id',
    ]);
  });

  it.each([
    [undefined, { body: ['must be an object; got nothing'] }],
    [[], { body: ['must be an object; got an empty array'] }],
    [{}, { touches: ['must be an array of 1 to 20 items; got nothing'] }],
    [{ touches: {} }, { touches: ['must be an array of 1 to 20 items; got an object'] }],
    [{ touches: [] }, { touches: ['must be an array of 1 to 20 items; got an empty array'] }],
    [
      { touches: Array.from({ length: 21 }, () => ({})) },
      { touches: ['must be an array of 1 to 20 items; got an array of 21 items'] },
    ],
    [{ touches: [null] }, { 'touches.0': ['must be an object; got null'] }],
  ])('touches are refused when the body is case %#', (body, details) => {
    expect(prepareTouches({ body, partner: PARTNER, nowMs: NOW_MS })).toEqual({ ok: false, error: details });
  });

  it("touches are refused beyond the site's own limit, and in everything that it does not allow", () => {
    const touches = ['a', 'b', 'c'].map((touch_id) => ({ ...BASE_TOUCH, touch_id }));
    expect(prepareBody({ touches }, { ...PARTNER, touch_limit: 3 })).toMatchObject({ ok: true });
    expect(prepareBody({ touches }, { ...PARTNER, touch_limit: 2 })).toEqual({
      ok: false,
      error: { touches: ["must be at most 2 touches, the site's limit; got 3"] },
    });
    expect(prepareBody({ touches: [BASE_TOUCH] }, { ...PARTNER, providers: [] })).toEqual({
      ok: false,
      error: { 'touches.0.provider': ['must be a provider that the site allows: it allows none'] },
    });
  });

  it('touches are refused without repeating the click value or any other field', () => {
    const secret = 'SECRET-CLICK-VALUE';
    const broken = Object.fromEntries(
      Object.keys(BASE_TOUCH).map((name) => [name, `${secret}\0${'x'.repeat(2_048)}`]),
    );
    const prepared = prepare(broken, { ...BASE_TOUCH, provider_click_id: { [secret]: secret } });
    expect(prepared.ok).toBe(false);
    expect(JSON.stringify(prepared)).not.toContain(secret);
  });

  it('never by throwing', () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ touches: fc.jsonValue() }),
      fc.record({
        touches: fc.array(fc.dictionary(fc.constantFrom(...Object.keys(BASE_TOUCH)), fc.jsonValue())),
      }),
    );
    fc.assert(fc.property(body, (value) => void prepareBody(value)));
  });
});

describe('the same touch twice in one request', () => {
  it.each([
    ['a landing path with another query', { landing_path: '/shoes?awc=2' }],
    ['the same instant in another spelling', { occurred_at: '2026-01-31T10:30:00.0000+01:00' }],
    ['fields that are ignored', { trust: 'server' }],
  ])('a touch twice in one request is equal with %s', (_what, change) => {
    const prepared = prepare(BASE_TOUCH, { ...BASE_TOUCH, ...change });
    expect(prepared).toMatchObject({ ok: true });
    expect(prepared.ok && prepared.value[1]).toEqual(prepared.ok && prepared.value[0]);
  });

  it.each(
    Object.entries({ provider_click_id: 'c-2', partner_id: null, session_id: 's', provenance: 'server' }),
  )('a touch twice in one request is refused with another %s', (name, value) => {
    expect(prepare({ ...BASE_TOUCH, touch_id: 'x' }, BASE_TOUCH, { ...BASE_TOUCH, [name]: value })).toEqual({
      ok: false,
      error: { 'touches.2.touch_id': ['names the same touch as touches.1, with other content'] },
    });
  });
});

describe('a touch that leaves the gateway', () => {
  const content = newKeyring(NOW_MS);
  const ring = new Keyring(content);
  const added = newKey(NOW_MS);
  const rotated = new Keyring({
    ...content,
    current: added.id,
    keys: { ...content.keys, [added.id]: added.key },
  });
  const SITE = 'site-1';

  it('a touch that leaves the gateway has its click value sealed for its site and id, and hashed', () => {
    const { click } = sealTouch(accepted(BASE_TOUCH), SITE, ring);
    if (click === null) throw new Error('The touch has a click.');
    const sealed = { keyId: click.key_id, sealed: Buffer.from(click.sealed, 'base64') };
    expect(ring.open(sealed, clickSealContext(SITE, BASE_TOUCH.touch_id))).toEqual({
      ok: true,
      value: 'click-1',
    });
    expect(ring.open(sealed, clickSealContext(SITE, 'touch-2')).ok).toBe(false);
    expect(ring.open(sealed, clickSealContext('site-2', BASE_TOUCH.touch_id)).ok).toBe(false);
    expect(click.hash).toBe(ring.match(clickMatchFields(SITE, 'click-1')));
  });

  it('holds its click value in no form that can be read', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z]{8,40}$/), (value) => {
        const sealed = JSON.stringify(
          sealTouch(accepted({ ...BASE_TOUCH, provider_click_id: value }), SITE, ring),
        );
        for (const form of ['utf8', 'base64', 'hex'] as const) {
          // The base64 characters that do not depend on adjacent bytes.
          const needle = Buffer.from(value)
            .toString(form)
            .replace(/.{0,2}=*$/, '');
          expect(sealed).not.toContain(needle);
        }
      }),
    );
  });

  it('a touch has the same fingerprint whatever key seals it, and another one for any other content', () => {
    const touch = accepted(BASE_TOUCH);
    const { fingerprint, click } = sealTouch(touch, SITE, ring);
    const again = sealTouch(touch, SITE, rotated);
    expect(again.fingerprint).toBe(fingerprint);
    expect(again.click?.hash).toBe(click?.hash);
    expect(again.click?.key_id).toBe(added.id);
    const others = Object.entries({
      touch_id: 'touch-2',
      provider: 'cj',
      direction: 'outbound',
      provider_click_id: 'click-2',
      partner_id: null,
      landing_path: '/boots',
      occurred_at: '2026-01-31T09:30:00.001Z',
      provenance: 'server',
      session_id: null,
    }).map(([name, value]) => sealTouch(accepted({ ...BASE_TOUCH, [name]: value }), SITE, ring).fingerprint);
    expect(new Set([fingerprint, ...others]).size).toBe(others.length + 1);
  });
});
