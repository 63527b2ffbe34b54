import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { encodeMemberRecord, memberKey, MEMBER_ROLES, type MemberRecord } from '@truetally/contracts';
import { fail, succeed } from '@truetally/kernel';
import type { CallerRule } from '../http/route-rules.js';
import { Authenticator, type Presented } from './authenticate.js';
import { CREDENTIAL_DEMANDS } from './credential-demand.js';
import { applyMember } from './directory-feed.js';
import type { IdTokens } from './id-token.js';
import { KeyDirectory } from './key-directory.js';
import { MemberDirectory } from './member-directory.js';
import { RuntimeTokens } from './runtime-token.js';
import { SiteDirectory } from './site-directory.js';

const USER = 'auth0|a:b';
const RULES = Object.keys(CREDENTIAL_DEMANDS) as CallerRule[];

describe('members of workspaces (interface page, section 2)', () => {
  let members: MemberDirectory;
  let unreadable: string[];
  let authenticator: Authenticator;
  const record: MemberRecord = {
    workspace_id: randomUUID(),
    sub: USER,
    role: 'analyst',
    suspended: false,
    hourly_limit: 10_000,
  };
  const other: MemberRecord = { ...record, workspace_id: randomUUID(), role: 'owner', hourly_limit: 7 };

  beforeEach(() => {
    members = new MemberDirectory();
    unreadable = [];
    authenticator = authenticatorWith({
      // A token is the name of its user here: id-token.spec.ts is about the real ones.
      verify: (token) => Promise.resolve(token === 'forged' ? fail('credential-invalid') : succeed(token)),
    });
  });

  function authenticatorWith(idTokens: Pick<IdTokens, 'verify'> | undefined): Authenticator {
    const keys = [{ kid: 'a', secret: randomBytes(32) }] as const;
    return new Authenticator({
      sites: new SiteDirectory(),
      keys: new KeyDirectory(),
      members,
      runtimeTokens: new RuntimeTokens([...keys], Date.now),
      idTokens,
      nowMs: Date.now,
    });
  }

  function feed(of: MemberRecord, value: string | null = encodeMemberRecord(of)): void {
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
      role,
      limit: { subject: `workspace:${workspace_id}`, perHour: hourly_limit },
    },
  });

  it('are the member of their one workspace, whether they name it or not', async () => {
    feed(record);
    expect(await ask()).toEqual(callerOf(record));
    expect(await ask(record.workspace_id)).toEqual(callerOf(record));
    expect(await ask(record.workspace_id.toUpperCase())).toEqual(callerOf(record));
  });

  it('of several pick one', async () => {
    feed(record);
    feed(other);
    expect(await ask()).toEqual({ ok: false, error: 'workspace-missing' });
    expect(await ask(record.workspace_id)).toEqual(callerOf(record));
    expect(await ask(other.workspace_id)).toEqual(callerOf(other));
  });

  it('may not pick what is no id, nor a workspace that is not theirs', async () => {
    feed(record);
    for (const text of ['', 'mine', `${record.workspace_id}, ${record.workspace_id}`]) {
      expect(await ask(text)).toEqual({ ok: false, error: 'workspace-malformed' });
    }
    expect(await ask(other.workspace_id)).toEqual({ ok: false, error: 'workspace-unknown' });
  });

  it('of none may do nothing, though their token is right', async () => {
    expect(await ask()).toEqual({ ok: false, error: 'membership-missing' });
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
    expect(await ask()).toEqual({ ok: false, error: 'membership-missing' });
    feed(record);
    feed(record, '{"role":"king"}');
    expect(await ask()).toEqual({ ok: false, error: 'membership-missing' });
    expect(unreadable).toEqual([expect.stringContaining('members.v1')]);
  });

  it('are users where the route is no workspace’s, whichever they belong to and whatever they pick', async () => {
    const user = (perHour: number) => ({
      ok: true,
      value: { kind: 'user', subject: USER, limit: { subject: `user:${USER}`, perHour } },
    });
    expect(await ask(undefined, 'job-follower')).toEqual(user(10_000));
    feed(record);
    feed({ ...other, hourly_limit: 50_000 });
    expect(await ask(undefined, 'job-follower')).toEqual(user(50_000));
    expect(await ask(randomUUID(), 'job-follower')).toEqual(user(50_000));
    expect(await ask(undefined, 'job-follower', 'forged')).toEqual({
      ok: false,
      error: 'credential-invalid',
    });
  });

  it('are nobody with a token that is not right, or where no issuer is configured', async () => {
    feed(record);
    expect(await ask(undefined, 'attribution-reader', 'forged')).toEqual({
      ok: false,
      error: 'credential-invalid',
    });
    authenticator = authenticatorWith(undefined);
    expect(await ask()).toEqual({ ok: false, error: 'credential-invalid' });
  });

  it('may do what their role permits, on routes that take members', async () => {
    const permitted: string[] = [];
    for (const rule of RULES) {
      if (CREDENTIAL_DEMANDS[rule].roles === 'user') continue;
      for (const role of MEMBER_ROLES) {
        feed({ ...record, role });
        const answer = await ask(undefined, rule);
        if (answer.ok) permitted.push(`${rule} ${role}`);
        const forbidden = CREDENTIAL_DEMANDS[rule].bearer === 'id-token' ? ['role-forbidden'] : [];
        const refused = [...forbidden, 'credential-kind', 'credential-invalid'];
        expect(answer).toEqual(
          answer.ok ? callerOf({ ...record, role }) : { ok: false, error: expect.anything() },
        );
        if (!answer.ok) expect(refused).toContain(answer.error);
      }
    }
    expect(permitted).toEqual([
      'attribution-reader owner',
      'attribution-reader admin',
      'attribution-reader analyst',
      'management-reader owner',
      'management-reader admin',
      'management-reader analyst',
      'management-writer owner',
      'management-writer admin',
      'catalogue-writer owner',
      'catalogue-writer admin',
      'commission-rule-writer owner',
      'commission-rule-writer admin',
    ]);
  });
});
