import { describe, expect, it } from '@jest/globals';
import { type FieldErrors, readJson, type Result } from '@truetally/kernel';
import { type ConversionCommand, encodeRecordConversion, readConversion, websiteIdsOf } from '../index.js';
import { bodyText, goldenCases, valueAt } from './golden.fixture.js';

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');

function judge(text: string): Result<ConversionCommand, FieldErrors> {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(reading.error.message);
  return readConversion(reading.value.value, NOW_MS);
}

/** The command as the ledger gets it, which shows amounts as text. */
function messageOf(command: ConversionCommand): unknown {
  return JSON.parse(encodeRecordConversion({ siteId: 's', requestId: 'r', fingerprint: 'f', command }));
}

describe('interface page, section 6: a conversion that is accepted', () => {
  it.each(goldenCases('ok'))('%s', (_name, golden) => {
    const judged = judge(bodyText(golden));
    expect(judged.ok ? {} : judged.error).toEqual({});
    if (!judged.ok) return;
    const message = messageOf(judged.value);
    const found = Object.keys(golden.sent ?? {}).map((path) => [path, valueAt(message, path)]);
    expect(found.length).toBeGreaterThan(0);
    expect(Object.fromEntries(found)).toEqual(golden.sent);
  });
});

describe('interface page, section 6: a conversion that is refused names every broken rule', () => {
  it.each(goldenCases('not-ok'))('%s', (_name, golden) => {
    const judged = judge(bodyText(golden));
    expect(judged.ok ? {} : judged.error).toEqual(golden.details);
  });
});

describe('website_id', () => {
  it('is read from every envelope that is there, whatever else is wrong', () => {
    expect(websiteIdsOf({ conversion: { website_id: 'A' }, cancellation: { website_id: 'b' } })).toEqual([
      'a',
      'b',
    ]);
    for (const body of [null, [], 'x', {}, { conversion: null }, { adjustment: { website_id: 7 } }]) {
      expect(websiteIdsOf(body)).toEqual([]);
    }
  });
});
