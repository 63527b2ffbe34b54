import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FieldErrors, readJson, type Result } from '@truetally/kernel';
import { GoldenFolder, valueAt } from '../testing/golden-folder.js';
import { type ConversionCommand, encodeRecordConversion, readConversion, websiteIdsOf } from './index.js';

const GOLDEN = new GoldenFolder(new URL('./test/', import.meta.url));
const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');

function judge(text: string): Result<ConversionCommand, FieldErrors> {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(reading.error.message);
  return readConversion(reading.value.value, NOW_MS);
}

/** The command as the ledger gets it, which shows amounts as text. */
function messageOf(command: ConversionCommand): unknown {
  return JSON.parse(
    encodeRecordConversion({ siteId: 's', requestId: 'r', settings: null, fingerprint: 'f', command }),
  );
}

const NAMED = /^(body|event_type|(conversion|adjustment|cancellation)(\.[a-z_0-9]+)*)$/;

describe('interface page, section 6: a conversion that is accepted', () => {
  it.each(GOLDEN.cases('ok'))('%s', (_name, golden) => {
    const judged = judge(GOLDEN.text(golden));
    expect(judged.ok ? {} : judged.error).toEqual({});
    if (!judged.ok) return;
    const message = messageOf(judged.value);
    const found = Object.keys(golden.sent ?? {}).map((path) => [path, valueAt(message, path)]);
    expect(found.length).toBeGreaterThan(0);
    expect(Object.fromEntries(found)).toEqual(golden.sent);
  });
});

describe('interface page, section 6: a conversion that is refused names every broken rule', () => {
  it.each(GOLDEN.cases('not-ok'))('%s', (_name, golden) => {
    const judged = judge(GOLDEN.text(golden));
    expect(judged.ok ? {} : judged.error).toEqual(golden.details);
  });
});

describe('website_id', () => {
  it('the website_id is read from every given envelope, whatever else is wrong', () => {
    expect(websiteIdsOf({ conversion: { website_id: 'A' }, cancellation: { website_id: 'b' } })).toEqual([
      'a',
      'b',
    ]);
    for (const body of [null, [], 'x', {}, { conversion: null }, { adjustment: { website_id: 7 } }]) {
      expect(websiteIdsOf(body)).toEqual([]);
    }
  });
});

describe('a body that holds anything at all', () => {
  /** Any part of a valid body replaced by anything, or removed. */
  const spoilt = fc
    .tuple(
      fc.constantFrom('EUR', 'EUR_numbers', 'exact_margin', 'adjustment', 'cancellation'),
      fc.array(
        fc.tuple(fc.nat(), fc.oneof(fc.jsonValue(), fc.constantFrom('1e5', '-1', '0.001', 'EUR', [], {}))),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
    )
    .map(([base, changes]) => {
      const body: unknown = JSON.parse(GOLDEN.text({ base }));
      for (const [at, value] of changes) replaceAt(body, at, value);
      return JSON.stringify(body);
    });

  it('a body that holds anything is judged and never throws; every named path begins at the root', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: spoilt }, fc.json()), (text) => {
        const judged = judge(text);
        if (judged.ok) return true;
        refused += 1;
        const paths = Object.keys(judged.error);
        return paths.length > 0 && paths.every((path) => NAMED.test(path));
      }),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(1000);
  });

  it('breaks no other rule with additional unknown fields', () => {
    fc.assert(
      fc.property(spoilt, fc.jsonValue(), (text, value) => {
        const body: unknown = JSON.parse(text);
        const more = { ...(body as object), unknown_field: value, trust: 'server' };
        const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
        if (isObject) expect(judge(JSON.stringify(more))).toEqual(judge(text));
      }),
    );
  });
});

/** Replaces one of the members and items of a value, counted through all of its levels. */
function replaceAt(root: unknown, at: number, value: unknown): void {
  const places: (readonly [holder: Record<string, unknown>, name: string])[] = [];
  const collect = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [name, inner] of Object.entries(holder)) {
      places.push([holder as Record<string, unknown>, name]);
      collect(inner);
    }
  };
  collect(root);
  const place = places[at % Math.max(1, places.length)];
  if (place !== undefined) place[0][place[1]] = value;
}
