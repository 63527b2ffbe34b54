import { describe, expect, it } from '@jest/globals';
import { SERVICES } from '@truetally/contracts/services';
import { FactFormats } from './fact-formats.js';

const SITE_ID = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';

describe('the formats of facts', () => {
  const formats = new FactFormats();
  const faultOf = (topic: string, value: unknown): string | undefined =>
    formats.faultOf(topic, JSON.stringify(value));

  it('formats are known for every topic that an application may follow', () => {
    const published = SERVICES.flatMap(({ facts }) => Object.values(facts).map(({ name }) => name));
    expect(formats.topics.filter((topic) => !published.includes(topic))).toEqual([]);
    expect(formats.topics.length).toBeGreaterThan(10);
  });

  it.each([
    ['several facts in one', [{ site_id: SITE_ID }]],
    ['a missing field', {}],
    ['another type', { site_id: 7 }],
    ['another format', { site_id: 'none' }],
    ['null where no key is deleted', null],
  ])('refuse %s', (_what, value) => {
    expect(faultOf('sites.erased.v1', value)).toEqual(expect.any(String));
    expect(faultOf('sites.erased.v1', { site_id: SITE_ID })).toBeUndefined();
  });

  it('refuse what is no JSON, and take null where it deletes a key', () => {
    expect(formats.faultOf('sites.v1', '{')).toBe('no JSON');
    expect(formats.faultOf('sites.v1', null)).toBeUndefined();
    expect(formats.faultOf('requests.v1', null)).toBe('no such channel');
  });
});
