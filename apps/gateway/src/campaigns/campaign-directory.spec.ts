import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  type CampaignRecord,
  DEVICE_TYPES,
  heldBytes,
} from '@truetally/contracts/facts';
import { visitOf } from '@truetally/contracts/targeting';
import fc from 'fast-check';
import { CampaignDirectory } from './campaign-directory.js';
import { applyCampaign } from './campaign-feed.js';

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');
/** A page's attributes, as plain texts. */
interface Said {
  readonly pageUrl: string | undefined;
  readonly language: string | undefined;
  readonly deviceType: string | undefined;
}

const NOBODY: Said = { pageUrl: undefined, language: undefined, deviceType: undefined };
const at = (offsetMs: number): string => new Date(NOW_MS + offsetMs).toISOString();

const RECORD: CampaignRecord = {
  campaign_id: 'a',
  site_id: 'site',
  workspace_id: 'workspace',
  type: 'overlay',
  name: 'A',
  status: 'active',
  schedule: { from: null, to: null },
  targeting: { page_url_contains: [], languages: [], device_types: [] },
  content: { layout: 'modal', title: 'T' },
  version: 1,
  created_at: at(0),
};

function directoryOf(...records: readonly CampaignRecord[]): CampaignDirectory {
  const directory = new CampaignDirectory();
  for (const record of records) directory.put(record, 1);
  return directory;
}

const visitThat = ({ pageUrl: page_url, language, deviceType: device_type }: Said) =>
  visitOf({ page_url, language, device_type });

function idsIn(directory: CampaignDirectory, visit: Said = NOBODY, nowMs = NOW_MS): readonly string[] {
  return directory.select('site', 'overlay', visitThat(visit), nowMs).map(({ campaignId }) => campaignId);
}

describe('the directory of campaigns', () => {
  it('the directory of campaigns has their items ready as JSON text, and a digest of each', () => {
    const [shown] = directoryOf(RECORD).select('site', 'overlay', visitThat(NOBODY), NOW_MS);
    expect(JSON.parse(String(shown?.item))).toEqual({ campaign_id: 'a', name: 'A', content: RECORD.content });
    expect(shown?.digest).toMatch(/^[\w-]{43}$/);
  });

  it('shows one from the first instant of its schedule until just before the last', () => {
    const directory = directoryOf({ ...RECORD, schedule: { from: at(0), to: at(10) } });
    const shown = [-1, 0, 9, 10].map((offset) => idsIn(directory, NOBODY, NOW_MS + offset).length);
    expect(shown).toEqual([0, 1, 1, 0]);
  });

  it('treats an unreadable fact and a tombstone as a deleted campaign', () => {
    const faults: string[] = [];
    for (const value of ['{"type":"overlay"}', 'x', null]) {
      const directory = directoryOf(RECORD);
      applyCampaign(directory, 'a', value, (topic, key) => faults.push(`${topic} ${key}`), 1);
      expect([idsIn(directory), directory.isKnown('a', 1)]).toEqual([[], false]);
    }
    expect(faults).toEqual(['campaigns.v1 a', 'campaigns.v1 a']);
  });

  it('knows versions, also of campaigns that it does not show', () => {
    const directory = directoryOf({ ...RECORD, status: 'draft', version: 3 });
    expect([2, 3, 4].map((version) => directory.isKnown('a', version))).toEqual([true, true, false]);
  });

  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 6 });
  const language = fc.constantFrom('de', 'de-AT', 'DE-at', 'den', 'zh-Hant', 'zh', 'en');
  const offset = fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined });
  const instant = offset.map((ms) => (ms === undefined ? null : at(ms)));
  const sometimes = (one: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
    fc.oneof(fc.constant<string[]>([]), fc.array(one, { maxLength: 3 }));
  const record: fc.Arbitrary<CampaignRecord> = fc.record({
    campaign_id: fc.constantFrom(...'abcdefghijklmnop'),
    site_id: fc.constantFrom('site', 'site', 'other'),
    workspace_id: fc.constant('workspace'),
    type: fc.constantFrom('overlay' as const, 'overlay' as const, ...CAMPAIGN_TYPES),
    name: text,
    status: fc.oneof(fc.constant('active' as const), fc.constantFrom(...CAMPAIGN_STATUSES)),
    schedule: fc.record({ from: instant, to: instant }),
    targeting: fc.record({
      page_url_contains: sometimes(text.filter((part) => part !== '')),
      languages: sometimes(language),
      device_types: sometimes(fc.constantFrom(...DEVICE_TYPES)),
    }),
    content: fc.constant({}),
    version: fc.constant(1),
    created_at: fc.integer({ min: -2, max: 2 }).map(at),
  });
  const visits: fc.Arbitrary<Said> = fc.record({
    pageUrl: fc.option(text, { nil: undefined }),
    language: fc.option(
      language.map((tag) => tag.toLowerCase()),
      { nil: undefined },
    ),
    deviceType: fc.option(fc.constantFrom(...DEVICE_TYPES, 'watch'), { nil: undefined }),
  });

  it('shows, after any changes, exactly the campaigns of a plain implementation of the rules, newest first', () => {
    let shown = 0;
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 5, maxLength: 30 }),
        visits,
        fc.constantFrom('a', 'b', null),
        (all, visit, gone) => {
          const directory = directoryOf(...all);
          const latest = new Map(all.map((one) => [one.campaign_id, one]));
          if (gone !== null) {
            directory.remove(gone, 1);
            latest.delete(gone);
          }
          const expected = [...latest.values()]
            .filter((one) => one.site_id === 'site' && one.type === 'overlay' && one.status === 'active')
            .filter(({ schedule: { from, to } }) => (from ?? at(0)) <= at(0) && (to ?? at(1)) > at(0))
            .filter((one) => isMeant(one, visit))
            .sort((left, right) => (keyOf(left) < keyOf(right) ? 1 : -1))
            .map((one) => one.campaign_id);
          expect(idsIn(directory, visit)).toEqual(expected);
          shown += expected.length;
        },
      ),
      { numRuns: 2_000 },
    );
    expect(shown).toBeGreaterThan(200);
  });
});

describe('the memory of campaigns', () => {
  const change = fc.record({
    campaign_id: fc.constantFrom(...'abcdef'),
    status: fc.constantFrom(...CAMPAIGN_STATUSES),
    name: fc.string({ maxLength: 2_000, unit: anyCharacter }),
    isGone: fc.boolean(),
  });

  it('the memory of campaigns is what the known ones occupy, within its bound, and shows what fits', () => {
    const bound = 6_000;
    const entries = 6 * 256;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const toldOf = new Set<string>();
        const directory = new CampaignDirectory((id) => toldOf.add(id), bound);
        const kept = new Map<string, CampaignRecord>();
        changes.forEach(({ isGone, ...fields }, n) => {
          const record = { ...RECORD, ...fields, version: n + 1 };
          if (isGone) directory.forget(record.campaign_id);
          else directory.put(record, 1);
          kept.delete(record.campaign_id);
          if (!isGone) kept.set(record.campaign_id, record);
          const shown = new Set(idsIn(directory));
          const active = [...kept.values()].filter(({ status }) => status === 'active');
          const leftOut = active.filter(({ campaign_id }) => !shown.has(campaign_id));
          const held = [...kept.values()].map((one) =>
            heldBytes(leftOut.includes(one) ? { ...one, status: 'paused' } : one),
          );
          const bytes = held.reduce((sum, one) => sum + one, 0);
          expect(directory.memory).toEqual({ bytes, leftOut: leftOut.length });
          expect(bytes).toBeLessThanOrEqual(bound + entries);
          for (const { campaign_id } of leftOut) expect(toldOf).toContain(campaign_id);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('leaves out only what does not fit', () => {
    const bytes = heldBytes(RECORD);
    const leftOut: string[] = [];
    const directory = new CampaignDirectory((id) => leftOut.push(id), 2 * bytes);
    for (const id of ['a', 'b', 'c']) directory.put({ ...RECORD, campaign_id: id }, 1);
    expect([idsIn(directory), leftOut, directory.isKnown('c', 1)]).toEqual([['b', 'a'], ['c'], true]);
    directory.remove('a', 1);
    directory.put({ ...RECORD, campaign_id: 'c', version: 2 }, 1);
    expect([idsIn(directory), directory.memory.leftOut]).toEqual([['c', 'b'], 0]);
  });

  it('the memory of a campaign is at least its texts as UTF-8 and twice the characters of its targeting', () => {
    const parts = ['/€', '/x'];
    const plain = heldBytes(RECORD);
    expect(heldBytes({ ...RECORD, name: 'A€' }) - plain).toBe(3);
    const targeted = heldBytes({ ...RECORD, targeting: { ...RECORD.targeting, page_url_contains: parts } });
    expect(targeted - plain).toBe(2 * 128 + 8);
    expect(heldBytes({ ...RECORD, targeting: null })).toBe(plain);
    expect(heldBytes({ ...RECORD, status: 'paused' })).toBe(256);
  });
});

const keyOf = ({ created_at, campaign_id }: CampaignRecord): string => `${created_at} ${campaign_id}`;

/** The rules of targeting in docs/decisions/campaigns.md, in the simplest implementation. */
function isMeant({ targeting }: CampaignRecord, { pageUrl, language, deviceType }: Said): boolean {
  const { page_url_contains: parts, languages, device_types: devices } = targeting;
  const primaries = language?.split('-').map((_, n, tags) => tags.slice(0, n + 1).join('-')) ?? [];
  return [
    parts.length === 0 || parts.some((part) => (pageUrl ?? '').split(part).length > 1),
    languages.length === 0 || languages.some((tag) => primaries.includes(tag.toLowerCase())),
    devices.length === 0 || devices.some((device) => device === deviceType),
  ].every(Boolean);
}
