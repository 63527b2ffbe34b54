import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@truetally/contracts/facts';
import { type MemberResource, type WorkspaceResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import fc from 'fast-check';
import {
  accepted,
  ManagementReplicas,
  NOTHING_KNOWN,
  OWNER,
  republishFacts,
} from '../testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

async function newWorkspace(): Promise<{ readonly id: string; readonly owner: MemberResource }> {
  const { id } = await replicas.makeWorkspace();
  return { id, owner: (await rowsOf(id))[0] as MemberResource };
}

async function rowsOf(workspaceId: string): Promise<readonly MemberResource[]> {
  const { rows } = await replicas.owner.query<MemberResource>(
    `select member_id as id, subject as sub, email, role from members where workspace_id = $1
     order by created_at, member_id`,
    [workspaceId],
  );
  return rows;
}

const add = (workspaceId: string, sub: string, role: MemberRole): Promise<MemberResource> =>
  replicas.addMember(workspaceId, sub, role);

function accept(workspaceId: string, sub: string): Promise<Reply<unknown>> {
  return replicas.send.acceptMembership({ path_workspace_id: workspaceId, actor: sub });
}

const codeOf = (reply: Reply<unknown>): string => ('ok' in reply ? 'ok' : reply.error.code);

describe('create-member', () => {
  it('answers the resource, publishes its fact, and records its user in the audit log', async () => {
    const workspace = accepted<WorkspaceResource>(
      await replicas.send.createWorkspace({ name: 'Merchant', actor: OWNER }),
    );
    await replicas.send.administerWorkspace({ workspace_id: workspace.id, hourly_limit: 7 });
    const command = { workspace_id: workspace.id, sub: 'auth0|analyst', role: 'analyst', actor: OWNER };
    const member = accepted<MemberResource>(await replicas.send.createMember(command));
    await replicas.allPublished();
    expect(replicas.lastMemberFact(workspace.id, 'auth0|analyst')).toEqual({
      workspace_id: workspace.id,
      sub: 'auth0|analyst',
      email: null,
      member_id: member.id,
      role: 'analyst',
      membership: 'invited',
      suspended: false,
      hourly_limit: 7,
      version: 1,
    });
    const audited = `actor = '${OWNER}' and action = 'create' and resource = 'member'`;
    expect(await replicas.count('audit_log', `${audited} and resource_id = '${member.id}'`)).toBe(1);
  });

  it('refuses who is a member already, also when both come at once, and leaves the role as it is', async () => {
    const { id } = await newWorkspace();
    const send = (role: string) => replicas.send.createMember({ workspace_id: id, sub: 'auth0|x', role });
    const replies = await Promise.all(['owner', 'owner', 'owner', 'owner'].map(send));
    expect(replies.map(codeOf).sort()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'ok']);
    expect(codeOf(await send('analyst'))).toBe('CONFLICT');
    await replicas.allPublished();
    expect(replicas.lastMemberFact(id, 'auth0|x').role).toBe('owner');
  });
});

describe('who is removed', () => {
  it('a removed member is published to gateways as a tombstone, and has no permission from then on', async () => {
    const { id, owner } = await newWorkspace();
    const second = await add(id, 'auth0|second', 'owner');
    const scope = { workspace_id: id };
    accepted(await replicas.send.deleteMember({ ...scope, member_id: owner.id, actor: 'auth0|second' }));
    await replicas.allPublished();
    const last = replicas.published.findLast(({ key }) => key === `${id}:${OWNER}`);
    expect(last).toMatchObject({ topic: 'members.v1', value: null });
    // A gateway that has not received it yet admits them; the service refuses.
    for (const attempt of [
      replicas.send.deleteMember({ ...scope, member_id: second.id, actor: OWNER }),
      replicas.send.updateMember({ ...scope, member_id: second.id, role: 'analyst', actor: OWNER }),
      replicas.send.createMember({ ...scope, sub: OWNER, role: 'owner', actor: OWNER }),
    ]) {
      expect(codeOf(await attempt)).toBe('NOT_FOUND');
    }
  });

  it('stays removed when a restored Kafka still has them, and members who returned stay', async () => {
    const { id, owner } = await newWorkspace();
    await add(id, 'auth0|second', 'owner');
    const gone = await add(id, 'auth0|gone', 'analyst');
    const guest = accepted<MemberResource>(
      await replicas.send.createMember({ workspace_id: id, email: 'p@shop.example', role: 'analyst' }),
    );
    const known = [OWNER, 'auth0|second', 'auth0|gone'].map((sub) => `${id}:${sub}`);
    for (const { id: member_id } of [owner, gone, guest]) {
      accepted(await replicas.send.deleteMember({ workspace_id: id, member_id }));
    }
    await add(id, OWNER, 'analyst');
    await replicas.settle();
    const members = new Set([...known, `${id}@p@shop.example`, 'nonsense']);
    const everybody = { ...NOTHING_KNOWN, members };
    await republishFacts(replicas.pool, replicas.relays[0], everybody);
    await replicas.allPublished();
    const last = (key: string) => replicas.published.findLast((fact) => fact.key === key)?.value;
    expect([last(`${id}:auth0|gone`), last(`${id}@p@shop.example`)]).toEqual([null, null]);
    expect([last(`${id}:${OWNER}`), last(`${id}:auth0|second`)]).toEqual([undefined, undefined]);
    await republishFacts(replicas.pool, replicas.relays[0], everybody, true);
    await replicas.allPublished();
    expect(replicas.lastMemberFact(id, OWNER).role).toBe('analyst');
    expect(last(`${id}:auth0|gone`)).toBeNull();
  });
});

describe('owners at once', () => {
  it.each([2, 3, 5])('%i who all remove one another leave exactly one, in any order', async (count) => {
    for (let round = 0; round < 10; round += 1) {
      const { id, owner } = await newWorkspace();
      const others = Array.from({ length: count - 1 }, (_, n) => add(id, `auth0|owner-${n}`, 'owner'));
      const owners = [{ ...owner, sub: OWNER }, ...(await Promise.all(others))];
      const removals = owners.flatMap((actor) =>
        owners
          .filter((target) => target.id !== actor.id)
          .map((target) => ({ workspace_id: id, member_id: target.id, actor: actor.sub })),
      );
      const replies = await Promise.all(removals.map((removal) => replicas.send.deleteMember(removal)));
      expect(replies.filter((reply) => 'ok' in reply)).toHaveLength(count - 1);
      expect((await rowsOf(id)).map(({ role }) => role)).toEqual(['owner']);
    }
  });

  it('all leaving leave one, who gets the error that a workspace needs an owner', async () => {
    const { id, owner } = await newWorkspace();
    const second = await add(id, 'auth0|second', 'owner');
    const replies = await Promise.all([
      replicas.send.deleteMember({ workspace_id: id, member_id: owner.id, actor: OWNER }),
      replicas.send.updateMember({
        workspace_id: id,
        member_id: second.id,
        role: 'admin',
        actor: 'auth0|second',
      }),
    ]);
    expect(replies.map(codeOf).sort()).toEqual(['CONFLICT', 'ok']);
  });
});

const PEOPLE = ['p0', 'p1', 'p2', 'p3'] as const;
type Person = (typeof PEOPLE)[number];
type Step = { readonly by: Person; readonly on: Person; readonly to: MemberRole | null };
type Roles = ReadonlyMap<string, MemberRole>;

/** Groups of concurrent steps, one group after the other. */
const HISTORIES = fc.array(
  fc.array(
    fc.record<Step>({
      by: fc.constantFrom(...PEOPLE),
      on: fc.constantFrom(...PEOPLE),
      to: fc.option(fc.constantFrom(...MEMBER_ROLES), { nil: null }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 1, maxLength: 6 },
);

/** The roles after a step according to the interface page; undefined if it is refused. */
function expectedOf(roles: Roles, { by, on, to }: Step): Roles | undefined {
  const acting = roles.get(by);
  const from = roles.get(on);
  if (acting === undefined || (from === undefined && to === null)) return undefined;
  const isLeaving = by === on && to === null;
  if (!isLeaving && acting === 'analyst') return undefined;
  if (!isLeaving && acting !== 'owner' && (from === 'owner' || to === 'owner')) return undefined;
  const after = new Map(roles);
  if (to === null) after.delete(on);
  else after.set(on, to);
  return [...after.values()].includes('owner') ? after : undefined;
}

/** Every state that some order of the steps with these outcomes can lead to. */
function reachable(roles: Roles, steps: readonly (Step & { readonly isDone: boolean })[]): readonly Roles[] {
  if (steps.length === 0) return [roles];
  return steps.flatMap((step, index) => {
    const after = expectedOf(roles, step);
    if ((after !== undefined) !== step.isDone) return [];
    return reachable(after ?? roles, steps.toSpliced(index, 1));
  });
}

describe('any history of changes over two replicas', () => {
  const asKey = (roles: Roles): string => JSON.stringify([...roles].sort());

  it('any history of changes is serializable: nobody acts without the role, and an owner remains', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORIES, fc.subarray(PEOPLE.slice(1)), async (history, owners) => {
        const workspace = await replicas.makeWorkspace(PEOPLE[0]);
        await Promise.all(owners.map((sub) => add(workspace.id, sub, 'owner')));
        let roles: Roles = new Map([PEOPLE[0], ...owners].map((sub) => [sub, 'owner']));
        for (const group of history) {
          const known = new Map((await rowsOf(workspace.id)).map(({ sub, id }) => [sub, id]));
          const send = async (step: Step) => {
            const reply = await sendStep(workspace.id, step, known.get(step.on));
            return { ...step, isDone: 'ok' in reply };
          };
          // In a group, non-members can only be added, and members only changed or removed.
          const meant = group.filter(({ on, to }) => known.has(on) || to !== null);
          const done = await Promise.all(distinct(meant).map(send));
          const found: Roles = new Map(
            (await rowsOf(workspace.id)).map(({ sub, role }) => [String(sub), role]),
          );
          expect(reachable(roles, done).map(asKey)).toContain(asKey(found));
          expect([...found.values()]).toContain('owner');
          roles = found;
        }
      }),
      { numRuns: 60 },
    );
  });

  /** One step for each person: a second step after a removal would name an unknown id. */
  function distinct(steps: readonly Step[]): readonly Step[] {
    return [...new Map(steps.map((step) => [step.on, step])).values()];
  }

  /** Invited and accepted at once, which equals an addition. */
  async function invite(workspaceId: string, { by, on, to }: Step): Promise<Reply<unknown>> {
    const scope = { workspace_id: workspaceId, actor: by };
    const invited = await replicas.send.createMember({ ...scope, sub: on, role: to });
    return 'ok' in invited ? accept(workspaceId, on) : invited;
  }

  function sendStep(workspaceId: string, { by, on, to }: Step, memberId: string | undefined) {
    const scope = { workspace_id: workspaceId, actor: by };
    if (memberId === undefined) return invite(workspaceId, { by, on, to });
    if (to === null) return replicas.send.deleteMember({ ...scope, member_id: memberId });
    return replicas.send.updateMember({ ...scope, member_id: memberId, role: to });
  }
});
