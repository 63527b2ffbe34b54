import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MemberResource, type WorkspaceResource } from '@truetally/contracts';
import { accepted, ManagementReplicas, OWNER } from '../management.fixture.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

describe('add-member', () => {
  const sub = 'auth0|analyst';

  it('answers the resource, tells its fact, and says in the audit log who did it', async () => {
    const workspace = accepted<WorkspaceResource>(
      await replicas.send.createWorkspace({ name: 'Merchant', owner_sub: OWNER, hourly_limit: 7 }),
    );
    const command = { workspace_id: workspace.id, sub, role: 'analyst', actor: OWNER };
    const member = accepted<MemberResource>(await replicas.send.addMember(command));
    expect(member).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: workspace.id,
      sub,
      email: null,
      role: 'analyst',
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: member.created_at,
    });
    await replicas.allPublished();
    expect(replicas.lastMemberFact(workspace.id, sub)).toEqual({
      workspace_id: workspace.id,
      sub,
      role: 'analyst',
      suspended: false,
      hourly_limit: 7,
    });
    const audited = `actor = '${OWNER}' and action = 'create' and resource = 'member'`;
    expect(await replicas.count('audit_log', `${audited} and resource_id = '${member.id}'`)).toBe(1);
  });

  it('refuses who is a member already, also when both come at once, and leaves the role as it is', async () => {
    const workspace = await replicas.makeWorkspace();
    const add = (role: string) => replicas.send.addMember({ workspace_id: workspace.id, sub, role });
    const replies = await Promise.all(['owner', 'owner', 'owner', 'owner'].map(add));
    expect(replies.filter((reply) => 'ok' in reply)).toHaveLength(1);
    const taken = { error: { code: 'CONFLICT', details: { sub: ['is a member already'] } } };
    expect(await add('analyst')).toMatchObject(taken);
    for (const reply of replies.filter((one) => 'error' in one)) expect(reply).toMatchObject(taken);
    await replicas.allPublished();
    expect(replicas.lastMemberFact(workspace.id, sub).role).toBe('owner');
  });

  it('refuses bad fields with all their problems', async () => {
    const refused = await replicas.send.addMember({ workspace_id: 'w', sub: 's'.repeat(256), role: 'guest' });
    expect(refused).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          workspace_id: ['must be a UUID'],
          sub: ['must be a non-empty string of at most 255 characters'],
          role: ['must be one of owner, admin, analyst'],
        },
      },
    });
  });
});
