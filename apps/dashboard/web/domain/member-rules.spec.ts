import { describe, expect, it } from '@jest/globals';
import type { MemberResource } from '@truetally/node';
import { type Role, rightsOver } from './member-rules.js';

function member(sub: string, role: Role, membership: MemberResource['membership'] = 'accepted') {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id: sub,
    workspace_id: 'w',
    sub,
    email: null,
    role,
    membership,
    version: 1,
    created_at: at,
    updated_at: at,
  } satisfies MemberResource;
}

const olga = member('olga', 'owner');
const otto = member('otto', 'owner');
const ada = member('ada', 'admin');
const ann = member('ann', 'analyst');

describe('what a member may do with another', () => {
  it('the last accepted owner cannot be changed or removed, also by themselves; an invited one is none yet', () => {
    const invited = member('otto', 'owner', 'invited');
    const rights = rightsOver(olga, olga, [olga, invited, ada]);
    expect(rights).toEqual({ isOwn: true, isLastOwner: true, roles: ['owner'], mayRemove: false });
    expect(rightsOver(invited, olga, [olga, invited]).mayRemove).toBe(true);
  });

  it('one of two owners may step down and leave', () => {
    const rights = rightsOver(olga, olga, [olga, otto]);
    expect(rights).toMatchObject({ roles: ['owner', 'admin', 'analyst'], mayRemove: true });
  });

  it('an admin changes admins and analysts, and no owner', () => {
    expect(rightsOver(ann, ada, [olga, otto, ada, ann])).toMatchObject({
      roles: ['admin', 'analyst'],
      mayRemove: true,
    });
    expect(rightsOver(olga, ada, [olga, otto, ada])).toMatchObject({ roles: ['owner'], mayRemove: false });
  });

  it('only the last owner is told to make another owner: nobody else can', () => {
    for (const reader of [ada, ann])
      expect(rightsOver(olga, reader, [olga, ada, ann])).toEqual({
        isOwn: false,
        isLastOwner: false,
        roles: ['owner'],
        mayRemove: false,
      });
  });

  it('an analyst may leave, and nothing else', () => {
    expect(rightsOver(ann, ann, [olga, ann])).toEqual({
      isOwn: true,
      isLastOwner: false,
      roles: ['analyst'],
      mayRemove: true,
    });
    expect(rightsOver(ada, ann, [olga, ada, ann])).toMatchObject({ roles: ['admin'], mayRemove: false });
  });
});
