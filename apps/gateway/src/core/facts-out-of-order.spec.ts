import { describe, expect, it } from '@jest/globals';
import {
  CAMPAIGN_RECORD,
  CREDENTIAL_RECORD,
  MEMBER_RECORD,
  SITE_RECORD,
  memberKey,
} from '@truetally/contracts/facts';
import { compareRevisions, type Revision } from '@truetally/kernel';
import fc from 'fast-check';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { applyCampaign } from '../campaigns/campaign-feed.js';
import { applyCredential, applyMember, applySite } from '../credentials/directory-feed.js';
import { GoneIds } from '../credentials/gone-ids.js';
import { KeyDirectory } from '../credentials/key-directory.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { SiteDirectory } from '../credentials/site-directory.js';

/** A fact about one of few ids; without a version it is a tombstone. */
interface Told {
  readonly id: string;
  readonly version: number | undefined;
  readonly incarnation: number;
}

/** One directory, fed as the gateway feeds it. */
interface Fed {
  tell(told: Told): void;
  isKnown(id: string, version: number): boolean;
  readonly held: number;
}

const MAX_VERSION = 5;
const IDS = ['a', 'b', 'c'];
const CREATED_AT = '2026-03-01T12:00:00.000Z';

function failOnUnreadable(...fault: readonly string[]): void {
  throw new Error(fault.join(' '));
}

function keys(): Fed {
  const directory = new KeyDirectory();
  return {
    tell: ({ id, version, incarnation }) => {
      applyCredential(
        directory,
        id,
        version === undefined ? null : credential(id, version),
        failOnUnreadable,
        incarnation,
      );
    },
    isKnown: (id, version) => directory.isKnown(id, version),
    get held() {
      return [...directory.keys()].length;
    },
  };
}

function credential(id: string, version: number): string {
  return CREDENTIAL_RECORD.encode({
    key_id: id,
    site_id: 'site',
    workspace_id: 'workspace',
    prefix: 'abcdefgh',
    hash: id.charCodeAt(0).toString(16).padStart(64, '0'),
    scopes: [],
    hourly_limit: 1,
    limit_id: id,
    expires_at: null,
    revoked_at: version === MAX_VERSION ? CREATED_AT : null,
    version,
  });
}

function sites(): Fed {
  const directory = new SiteDirectory();
  return {
    tell: ({ id, version, incarnation }) => {
      applySite(
        directory,
        id,
        version === undefined ? null : site(id, version),
        failOnUnreadable,
        incarnation,
      );
    },
    isKnown: (id, version) => directory.isKnown(id, version),
    get held() {
      return [...directory.keys()].length;
    },
  };
}

function site(id: string, version: number): string {
  return SITE_RECORD.encode({
    site_id: id,
    workspace_id: 'workspace',
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: [],
    suspended: false,
    currency: 'EUR',
    timezone: 'UTC',
    publisher_mode: 'off',
    partner: { providers: [], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
    runtime_hourly_limit: 1,
    version,
  });
}

function campaigns(): Fed {
  const directory = new CampaignDirectory();
  return {
    tell: ({ id, version, incarnation }) => {
      applyCampaign(
        directory,
        id,
        version === undefined ? null : campaign(id, version),
        failOnUnreadable,
        incarnation,
      );
    },
    isKnown: (id, version) => directory.isKnown(id, version),
    get held() {
      return [...directory.keys()].length;
    },
  };
}

function campaign(id: string, version: number): string {
  return CAMPAIGN_RECORD.encode({
    campaign_id: id,
    site_id: 'site',
    workspace_id: 'workspace',
    type: 'overlay',
    name: id,
    status: version === MAX_VERSION ? 'paused' : 'active',
    schedule: { from: null, to: null },
    targeting: { page_url_contains: [], languages: [], device_types: [] },
    content: {},
    version,
    created_at: CREATED_AT,
  });
}

function members(): Fed {
  const directory = new MemberDirectory();
  return {
    tell: ({ id, version, incarnation }) => {
      const name = { workspace_id: 'workspace', sub: id === 'a' ? null : id, email: id === 'a' ? id : null };
      const value = version === undefined ? null : member(name, id, version);
      applyMember(directory, memberKey(name), value, failOnUnreadable, incarnation);
    },
    isKnown: (id, version) => directory.isKnown(id, version),
    get held() {
      return [...directory.keys()].length;
    },
  };
}

function member(name: Parameters<typeof memberKey>[0], id: string, version: number): string {
  return MEMBER_RECORD.encode({
    ...name,
    member_id: id,
    role: 'analyst',
    membership: 'accepted',
    suspended: false,
    hourly_limit: 1,
    version,
  });
}

/**
 * The newest version of each id, without deleted ones: of the latest incarnation, whatever earlier ones have.
 * @param isNamed whether the topic's key is the id itself, so that a tombstone of an unknown key names the deleted id
 */
function newest(facts: readonly Told[], isNamed: boolean): ReadonlyMap<string, Revision> {
  const held = new Map<string, Revision>();
  const gone = new Map<string, number>();
  for (const { id, version, incarnation } of facts) {
    const known = held.get(id);
    if (version === undefined) {
      if (known !== undefined && known.incarnation > incarnation) continue;
      if (held.delete(id) || isNamed) gone.set(id, Math.max(incarnation, gone.get(id) ?? 0));
    } else if ((gone.get(id) ?? 0) < incarnation) {
      const [latest] = [known, { incarnation, version }]
        .filter((one) => one !== undefined)
        .toSorted((one, other) => compareRevisions(other, one));
      if (latest !== undefined) held.set(id, latest);
    }
  }
  return held;
}

const version = fc.integer({ min: 1, max: MAX_VERSION });
const told = fc.record<Told>({
  id: fc.constantFrom(...IDS),
  version: fc.oneof({ weight: 6, arbitrary: version }, { weight: 1, arbitrary: fc.constant(undefined) }),
  incarnation: fc.integer({ min: 1, max: 3 }),
});

describe.each([
  ['keys', keys, true],
  ['sites', sites, true],
  ['campaigns', campaigns, true],
  ['members', members, false],
])('facts about %s in any order', (_what, directory, isNamed) => {
  it('leave the newest version of the latest incarnation, and nothing of deleted ids', () => {
    fc.assert(
      fc.property(fc.array(told, { maxLength: 30 }), (facts) => {
        const fed = directory();
        for (const fact of facts) fed.tell(fact);
        const expected = newest(facts, isNamed);
        for (const id of IDS) {
          const at = expected.get(id)?.version ?? 0;
          expect([fed.isKnown(id, Math.max(at, 1)), fed.isKnown(id, at + 1)]).toEqual([at > 0, false]);
        }
        expect(fed.held).toBe(expected.size);
      }),
    );
  });
});

describe('a user who returns to a workspace', () => {
  it('a user who returns to a workspace is a new member, whose versions restart', () => {
    const directory = new MemberDirectory();
    const name = { workspace_id: 'workspace', sub: 'user', email: null };
    const tell = (value: string | null): void => {
      applyMember(directory, memberKey(name), value, failOnUnreadable);
    };
    tell(member(name, 'first', 4));
    tell(null);
    tell(member(name, 'second', 1));
    tell(member(name, 'first', 5));
    expect([directory.isKnown('second', 1), directory.isGone('first')]).toEqual([true, true]);
  });
});

describe('deleted ids', () => {
  it('deleted ids are remembered up to a bound, the newest of them', () => {
    const gone = new GoneIds(2);
    for (const id of ['a', 'b', 'a', 'c']) gone.add(id, 1);
    expect(['a', 'b', 'c'].map((id) => gone.has(id, 1))).toEqual([true, false, true]);
  });

  it('deleted ids may exist again in a later incarnation only', () => {
    const gone = new GoneIds();
    gone.add('a', 2);
    gone.add('a', 1);
    expect([1, 2, 3].map((incarnation) => gone.has('a', incarnation))).toEqual([true, true, false]);
  });
});
