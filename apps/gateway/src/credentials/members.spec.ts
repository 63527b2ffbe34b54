import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { MEMBER_RECORD, memberKey, MEMBER_ROLES, type MemberRecord } from '@truetally/contracts/facts';
import { fail, succeed } from '@truetally/kernel';
import { type Authentication, Authenticator, type Presented } from './authenticate.js';
import { type CallerRule, CREDENTIAL_DEMANDS } from './credential-demand.js';
import { applyMember } from './directory-feed.js';
import type { IdTokens } from './id-token.js';
import { KeyDirectory } from './key-directory.js';
import { MemberDirectory } from './member-directory.js';
import { RuntimeTokens } from './runtime-token.js';
import { SiteDirectory } from './site-directory.js';

const USER = 'auth0|a:b';
const RULES = Object.keys(CREDENTIAL_DEMANDS) as CallerRule[];

/** A known user without a workspace: the user's own hourly limit is consumed. */
const NO_MEMBER = {
  ok: false,
  error: 'membership-missing',
  chargedTo: { subject: expect.stringMatching(/^user:[0-9a-f]{64}$/), perHour: expect.any(Number) },
};

describe('members of workspaces (interface page, section 2)', () => {
  let members: MemberDirectory;
  let unreadable: string[];
  let authenticator: Authenticator;
  let verifiedEmail: string | null;
  const record: MemberRecord = {
    workspace_id: randomUUID(),
    sub: USER,
    email: null,
    member_id: randomUUID(),
    role: 'analyst',
    membership: 'accepted',
    suspended: false,
    hourly_limit: 10_000,
    version: 1,
  };
  const other: MemberRecord = {
    ...record,
    workspace_id: randomUUID(),
    member_id: randomUUID(),
    role: 'owner',
    hourly_limit: 7,
  };

  beforeEach(() => {
    members = new MemberDirectory();
    unreadable = [];
    verifiedEmail = null;
    authenticator = authenticatorWith({
      // Here a token is the name of its user; id-token.spec.ts tests real ones.
      verify: (token) =>
        Promise.resolve(
          token === 'forged'
            ? fail('credential-invalid')
            : succeed({ subject: token, email: verifiedEmail, tokenExpiresAtMs: Infinity }),
        ),
    });
  });

  function authenticatorWith(idTokens: Pick<IdTokens, 'verify'> | undefined): Authenticator {
    const keys = [{ kid: 'a', secret: randomBytes(32) }] as const;
    return new Authenticator({
      sites: new SiteDirectory(),
      keys: new KeyDirectory(),
      keyUses: { note: () => undefined },
      members,
      runtimeTokens: new RuntimeTokens([...keys], Date.now),
      idTokens,
      nowMs: Date.now,
    });
  }

  function feed(of: MemberRecord, value: string | null = MEMBER_RECORD.encode(of)): void {
    applyMember(members, memberKey(of), value, (...fault) => unreadable.push(fault.join(' ')));
  }

  const ask = async (workspaceId?: string, rule: CallerRule = 'attribution-reader', text = USER) => {
    const presented: Presented = { kind: 'bearer', text, workspaceId };
    return authenticator.authenticate(presented, undefined, CREDENTIAL_DEMANDS[rule]);
  };
  const callerOf = ({ workspace_id, role, hourly_limit }: MemberRecord) => ({
    ok: true,
    value: {
      kind: 'member',
      workspaceId: workspace_id,
      subject: USER,
      email: verifiedEmail,
      tokenExpiresAtMs: Infinity,
      role,
      limit: { subject: `workspace:${workspace_id}`, perHour: hourly_limit },
    },
  });

  it('users of one workspace are its members, whether they name it or not', async () => {
    feed(record);
    expect(await ask()).toEqual(callerOf(record));
    expect(await ask(record.workspace_id)).toEqual(callerOf(record));
    expect(await ask(record.workspace_id.toUpperCase())).toEqual(callerOf(record));
  });

  it('an owner answers for all of its workspaces, until it owns them no longer', () => {
    const owners = { kind: 'member', workspaceId: other.workspace_id } as const;
    feed(other);
    expect(members.holdersOf(owners)).toEqual([other.workspace_id, `sub:${USER}`]);
    expect(members.holdersOf({ kind: 'user', workspaceId: '', subject: USER })).toEqual([`sub:${USER}`]);
    feed({ ...other, membership: 'invited', version: 2 });
    expect(members.holdersOf(owners)).toEqual([other.workspace_id]);
    feed({ ...other, version: 3 });
    feed(other, null);
    expect(members.holdersOf(owners)).toEqual([other.workspace_id]);
  });

  it('members of several workspaces pick one', async () => {
    feed(record);
    feed(other);
    expect(await ask()).toEqual({ ok: false, error: 'workspace-missing' });
    expect(await ask(record.workspace_id)).toEqual(callerOf(record));
    expect(await ask(other.workspace_id)).toEqual(callerOf(other));
  });

  it('count nowhere as long as they are only invited', async () => {
    feed({ ...record, membership: 'invited' });
    expect(await ask()).toEqual(NO_MEMBER);
    expect(await ask(record.workspace_id)).toEqual({ ok: false, error: 'workspace-unknown' });
    feed(other);
    expect(await ask()).toEqual(callerOf(other));
    expect(await ask(record.workspace_id)).toEqual({ ok: false, error: 'workspace-unknown' });
    expect(members.isKnown(String(record.member_id), 1)).toBe(true);
    feed({ ...record, version: 2 });
    expect(await ask()).toEqual({ ok: false, error: 'workspace-missing' });
    expect(await ask(record.workspace_id)).toEqual(callerOf(record));
  });

  it('members cannot pick an invalid id, nor a workspace of others', async () => {
    feed(record);
    for (const text of ['', 'mine', `${record.workspace_id}, ${record.workspace_id}`]) {
      expect(await ask(text)).toEqual({ ok: false, error: 'workspace-malformed' });
    }
    expect(await ask(other.workspace_id)).toEqual({ ok: false, error: 'workspace-unknown' });
  });

  it('users of no workspace may do nothing, though their token is right', async () => {
    expect(await ask()).toEqual(NO_MEMBER);
    expect(await ask(record.workspace_id)).toEqual({ ok: false, error: 'workspace-unknown' });
  });

  it('follow their facts: a new role, a suspension, an end, a fact that cannot be read', async () => {
    feed(record);
    feed({ ...record, role: 'admin' });
    expect(await ask()).toMatchObject({ value: { role: 'admin' } });
    feed({ ...record, suspended: true });
    expect(await ask()).toEqual({ ok: false, error: 'credential-invalid' });
    feed(record);
    feed(record, null);
    expect(await ask()).toEqual(NO_MEMBER);
    feed({ ...record, member_id: randomUUID() });
    feed(record, '{"role":"king"}');
    expect(await ask()).toEqual(NO_MEMBER);
    // Logged by its workspace: who a member is stands in no log.
    expect(unreadable).toEqual([expect.stringMatching(`^members.v1 ${record.workspace_id} unreadable: `)]);
  });

  it('users are refused with an invalid token, and without a configured issuer', async () => {
    feed(record);
    expect(await ask(undefined, 'attribution-reader', 'forged')).toEqual({
      ok: false,
      error: 'credential-invalid',
    });
    authenticator = authenticatorWith(undefined);
    expect(await ask()).toEqual({ ok: false, error: 'credential-invalid' });
  });

  describe('by e-mail', () => {
    const invited: MemberRecord = {
      ...other,
      sub: null,
      email: 'owner@shop.example',
      member_id: randomUUID(),
    };

    it('users invited by e-mail are members with a token whose address is verified, and no other', async () => {
      feed(invited);
      expect(await ask()).toEqual(NO_MEMBER);
      verifiedEmail = 'owner@shop.example';
      expect(await ask()).toEqual(callerOf(invited));
      feed(invited, null);
      expect(await ask()).toEqual(NO_MEMBER);
    });

    it.each(MEMBER_ROLES)(
      'members by e-mail and by subject in one workspace have the higher role: owner and %s',
      async (role) => {
        verifiedEmail = 'owner@shop.example';
        feed({ ...invited, workspace_id: record.workspace_id });
        feed({ ...record, role });
        expect(await ask()).toMatchObject({ value: { role: 'owner' } });
        feed({ ...record, role: 'owner', version: 2 });
        feed({ ...invited, workspace_id: record.workspace_id, role, version: 2 });
        expect(await ask()).toMatchObject({ value: { role: 'owner' } });
      },
    );

    it('members by e-mail are known by subject once they accept, even without the invitation', async () => {
      const bound = { ...invited, sub: USER, version: 2 };
      feed({ ...invited, membership: 'invited' });
      feed(bound);
      feed(invited, null);
      expect(await ask()).toEqual(callerOf(bound));
      expect(members.isKnown(String(invited.member_id), 2)).toBe(true);
      feed({ ...bound, role: 'analyst', version: 3 });
      expect(await ask()).toMatchObject({ value: { role: 'analyst' } });
      feed(bound, null);
      expect(await ask()).toEqual(NO_MEMBER);
      expect(members.isGone(String(invited.member_id))).toBe(true);
    });

    it('members by e-mail in one workspace and by subject in another have both', async () => {
      verifiedEmail = 'owner@shop.example';
      feed(invited);
      feed(record);
      expect(await ask()).toEqual({ ok: false, error: 'workspace-missing' });
      expect(await ask(invited.workspace_id)).toEqual(callerOf(invited));
    });
  });

  it('members are known by the received version, until they are deleted', () => {
    const id = String(record.member_id);
    feed({ ...record, version: 2 });
    expect([1, 2, 3].map((version) => members.isKnown(id, version))).toEqual([true, true, false]);
    feed(record, null);
    expect([members.isKnown(id, 1), members.isGone(id)]).toEqual([false, true]);
  });

  describe('as users of no workspace', () => {
    const limitOf = (answer: Authentication) => (answer.ok ? answer.value.limit.perHour : answer.error);

    it('users have the largest limit of their workspaces, and at least the usual one', async () => {
      expect(limitOf(await ask(undefined, 'user'))).toBe(10_000);
      feed(other);
      expect(limitOf(await ask(undefined, 'user'))).toBe(10_000);
      feed({ ...record, hourly_limit: 1_000_000 });
      expect(limitOf(await ask('whatever', 'user'))).toBe(1_000_000);
    });

    it('users have one limit counter each, whose name holds nothing of theirs', async () => {
      const answer = await ask(undefined, 'user');
      expect(answer).toMatchObject({
        value: { kind: 'user', limit: { subject: expect.stringMatching(/^user:[0-9a-f]{64}$/) } },
      });
    });
  });

  it('members may do what their role permits, on routes that take members', async () => {
    const permitted: string[] = [];
    for (const rule of RULES.filter((one) => CREDENTIAL_DEMANDS[one].workspace !== 'none')) {
      for (const role of MEMBER_ROLES) {
        feed({ ...record, role });
        const answer = await ask(undefined, rule);
        if (answer.ok) permitted.push(`${rule} ${role}`);
        const forbidden = CREDENTIAL_DEMANDS[rule].bearer === 'id-token' ? ['role-forbidden'] : [];
        const refused = [...forbidden, 'credential-kind', 'credential-invalid'];
        expect(answer).toEqual(
          answer.ok ? callerOf({ ...record, role }) : { ...answer, error: expect.anything() },
        );
        if (answer.ok) continue;
        expect(refused).toContain(answer.error);
        const { limit } = callerOf(record).value;
        expect(answer.chargedTo).toEqual(answer.error === 'role-forbidden' ? limit : undefined);
      }
    }
    expect(permitted).toEqual([
      'attribution-reader owner',
      'attribution-reader admin',
      'attribution-reader analyst',
      'analytics-reader owner',
      'analytics-reader admin',
      'analytics-reader analyst',
      'management-reader owner',
      'management-reader admin',
      'management-reader analyst',
      'management-writer owner',
      'management-writer admin',
      'catalogue-writer owner',
      'catalogue-writer admin',
      'management-owner owner',
      'owner-alone owner',
      'workspace-member owner',
      'workspace-member admin',
      'workspace-member analyst',
      'workspace-writer owner',
      'workspace-writer admin',
      'workspace-owner owner',
      'commission-rule-writer owner',
      'commission-rule-writer admin',
    ]);
  });
});
