import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { highestRole, MEMBER_ROLES, type MemberRole, type Membership } from '@truetally/contracts/facts';
import type { MemberResource, OwnWorkspace } from '@truetally/contracts/management';
import type { Page } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import fc from 'fast-check';
import { accepted, ManagementReplicas, OWNER, type Person } from '../testing/management-replicas.js';
import { roleOf } from '../storage/member.store.js';
import { listWorkspaces } from '../workspaces/list-workspaces.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

const FOUNDER: Person = { sub: OWNER, email: 'founder@shop.example' };
const ANNA: Person = { sub: 'auth0|anna', email: 'anna@shop.example' };
/** Has an address that the issuer has not verified. */
const BEN: Person = { sub: 'auth0|ben', email: null };
/** Has Anna's former address. */
const HEIR: Person = { sub: 'auth0|heir', email: 'anna@shop.example' };
const PEOPLE: readonly Person[] = [FOUNDER, ANNA, BEN, HEIR];
const NAMES = [
  ...PEOPLE.map(({ sub }) => ({ sub })),
  { email: 'founder@shop.example' },
  { email: 'anna@shop.example' },
] as const;
type Name = { readonly sub?: string; readonly email?: string };

/** A row of the model, which follows the interface page and not the implementation. */
interface Row {
  readonly id: string;
  readonly sub: string | null;
  readonly email: string | null;
  readonly role: MemberRole;
  readonly membership: Membership;
}

type Step =
  | { readonly kind: 'invite'; readonly by: Person; readonly name: Name; readonly role: MemberRole }
  | { readonly kind: 'accept' | 'decline'; readonly by: Person }
  | { readonly kind: 'change'; readonly by: Person; readonly row: number; readonly role: MemberRole | null };

const person = fc.constantFrom(...PEOPLE);
const role = fc.constantFrom(...MEMBER_ROLES);
const STEPS: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('invite' as const),
        by: person,
        name: fc.constantFrom<Name>(...NAMES),
        role,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('accept' as const, 'decline' as const), by: person }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('change' as const),
        by: person,
        row: fc.nat(5),
        role: fc.option(role, { nil: null }),
      }),
    },
  ),
  { minLength: 5, maxLength: 25 },
);

const isOwn = (row: Row, { sub, email }: Person): boolean =>
  row.sub === sub || (row.sub === null && row.email !== null && row.email === email);
const ownOf = (rows: readonly Row[], who: Person): readonly Row[] => rows.filter((row) => isOwn(row, who));
const roleIn = (rows: readonly Row[], who: Person): MemberRole | undefined =>
  highestRole(ownOf(rows, who).flatMap((row) => (row.membership === 'accepted' ? [row.role] : [])));
const hasOwner = (rows: readonly Row[]): boolean =>
  rows.some((row) => row.role === 'owner' && row.membership === 'accepted');

/** The rows after a step, or undefined if it is refused. */
function after(rows: readonly Row[], step: Step, newId: string): readonly Row[] | undefined {
  const acting = roleIn(rows, step.by);
  if (step.kind === 'invite') {
    const { sub = null, email = null } = step.name;
    const isTaken = rows.some(
      (row) => (sub !== null && row.sub === sub) || (email !== null && row.email === email),
    );
    const may = acting === 'owner' || (acting === 'admin' && step.role !== 'owner');
    if (!may || isTaken) return undefined;
    return [...rows, { id: newId, sub, email, role: step.role, membership: 'invited' }];
  }
  if (step.kind === 'change') {
    const row = rows[step.row];
    if (row === undefined || acting === undefined) return undefined;
    const isLeaving = step.role === null && isOwn(row, step.by);
    const isAboutOwners = row.role === 'owner' || step.role === 'owner';
    const may = isLeaving || acting === 'owner' || (acting === 'admin' && !isAboutOwners);
    const { role: to } = step;
    const changed = rows.flatMap((one) =>
      one.id !== row.id ? [one] : to === null ? [] : [{ ...one, role: to }],
    );
    return may && hasOwner(changed) ? changed : undefined;
  }
  const own = ownOf(rows, step.by);
  const others = rows.filter((row) => !own.includes(row));
  if (step.kind === 'decline') {
    const open = own.filter(({ membership }) => membership === 'invited');
    return open.length === 0 ? undefined : rows.filter((row) => !open.includes(row));
  }
  const kept = own.find((row) => row.sub !== null) ?? own[0];
  if (kept === undefined) return undefined;
  const email = kept.email ?? own.find((row) => row.email !== null)?.email ?? null;
  const highest = highestRole(own.map((row) => row.role)) ?? kept.role;
  return [...others, { id: kept.id, sub: step.by.sub, email, role: highest, membership: 'accepted' }];
}

async function rowsOf(workspaceId: string): Promise<readonly Row[]> {
  const { rows } = await replicas.owner.query<Row>(
    `select member_id as id, subject as sub, email, role, membership from members where workspace_id = $1
     order by member_id`,
    [workspaceId],
  );
  return rows;
}

function send(workspaceId: string, rows: readonly Row[], step: Step): Promise<Reply<unknown>> {
  const { send: to } = replicas;
  const scope = { workspace_id: workspaceId, actor: step.by };
  switch (step.kind) {
    case 'invite':
      return to.createMember({ ...scope, body: { ...step.name, role: step.role } });
    case 'accept':
      return to.acceptMembership({ path_workspace_id: workspaceId, actor: step.by });
    case 'decline':
      return to.declineMembership({ path_workspace_id: workspaceId, actor: step.by });
    case 'change': {
      const target = { ...scope, member_id: rows[step.row]?.id ?? workspaceId };
      return step.role === null ? to.deleteMember(target) : to.updateMember({ ...target, role: step.role });
    }
  }
}

const idOf = (reply: Reply<unknown>): string => ('ok' in reply ? (reply.ok as MemberResource).id : 'refused');
const byId = (rows: readonly Row[]): readonly Row[] => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

describe('any order of invitations, acceptances and changes (interface page, section 9)', () => {
  it('follows the page exactly: nobody is a member without accepting, and only an owner can demote an owner', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const { id } = await replicas.makeWorkspace();
        let rows: readonly Row[] = await rowsOf(id);
        for (const step of steps) {
          const acting = roleIn(rows, step.by);
          const reply = await send(id, rows, step);
          const expected = after(rows, step, idOf(reply));
          expect([step, 'ok' in reply]).toEqual([step, expected !== undefined]);
          const next = await rowsOf(id);
          expect(byId(next)).toEqual(byId(expected ?? rows));
          for (const who of PEOPLE) {
            const [before, now] = [roleIn(rows, who), roleIn(next, who)];
            expect(await roleOf(replicas.pool, id, who)).toBe(now);
            if (now !== undefined && before === undefined)
              expect([step.kind, step.by]).toEqual(['accept', who]);
            const isLowered = before === 'owner' && now !== 'owner';
            if (isLowered && acting !== 'owner') expect(step.by).toEqual(who);
          }
          expect(hasOwner(next)).toBe(true);
          rows = next;
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('an invitation', () => {
  const listOf = async ({ sub, email }: Person): Promise<readonly OwnWorkspace[]> => {
    const actor = { sub, email, key_id: null, key_prefix: null };
    const query = { workspace_id: 'none', actor, params: {}, filters: {}, limit: 50, cursor: null };
    return accepted<Page<OwnWorkspace>>(await listWorkspaces(replicas.reader, query)).items;
  };
  const somebody = (): Person => {
    const name = `${Date.now()}-${Math.random()}`;
    return { sub: `auth0|${name}`, email: `${name}@shop.example` };
  };

  it('an invitation is in the list of the invited user, with role and membership, until it is declined', async () => {
    const { id } = await replicas.makeWorkspace();
    const guest = somebody();
    expect(await listOf(guest)).toEqual([]);
    await replicas.send.createMember({ workspace_id: id, actor: OWNER, email: guest.email, role: 'analyst' });
    await replicas.send.createMember({ workspace_id: id, actor: OWNER, sub: guest.sub, role: 'admin' });
    expect(await listOf(guest)).toMatchObject([
      { id, name: 'Merchant', role: 'admin', membership: 'invited' },
    ]);
    const declined = await replicas.send.declineMembership({ path_workspace_id: id, actor: guest });
    expect(declined).toMatchObject({ ok: { deleted: true } });
    expect(await listOf(guest)).toEqual([]);
    expect(await replicas.send.declineMembership({ path_workspace_id: id, actor: guest })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
  });

  it('an invitation by both names becomes one member with the higher role, published by one name', async () => {
    const { id } = await replicas.makeWorkspace();
    const guest = somebody();
    const scope = { workspace_id: id, actor: OWNER };
    await replicas.send.createMember({ ...scope, email: guest.email, role: 'admin' });
    await replicas.send.createMember({ ...scope, sub: guest.sub, role: 'analyst' });
    const answer = { path_workspace_id: id, actor: guest };
    const member = accepted<MemberResource>(await replicas.send.acceptMembership(answer));
    expect(member).toMatchObject({ ...guest, role: 'admin', membership: 'accepted', version: 2 });
    expect(accepted(await replicas.send.acceptMembership(answer))).toEqual(member);
    expect(await listOf(guest)).toMatchObject([{ id, role: 'admin', membership: 'accepted' }]);
    await replicas.allPublished();
    expect(replicas.lastMemberFact(id, guest.sub)).toMatchObject({
      role: 'admin',
      membership: 'accepted',
      member_id: member.id,
    });
    const last = replicas.published.findLast(({ key }) => key === `${id}@${guest.email ?? ''}`);
    expect(last?.value).toBeNull();
    for (const name of [{ sub: guest.sub }, { email: guest.email }]) {
      const again = await replicas.send.createMember({ ...scope, ...name, role: 'analyst' });
      expect(again).toMatchObject({ error: { code: 'CONFLICT' } });
    }
    const audited = `resource_id = '${member.id}' and action = 'accept' and actor = '${guest.sub}'`;
    expect(await replicas.count('audit_log', audited)).toBe(1);
  });
});
