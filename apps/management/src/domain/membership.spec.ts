import { describe, expect, it } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@truetally/contracts/facts';
import { type ActingRole, faultOf } from './membership.js';

const TARGETS: readonly (MemberRole | null)[] = [...MEMBER_ROLES, null];

describe('who may change whom (interface page, section 9)', () => {
  /** From and to, for another person and with owners to spare, by role: what is permitted. */
  it.each<[ActingRole, readonly string[]]>([
    ['platform', ['any change']],
    ['owner', ['any change']],
    [
      'admin',
      [
        'admin→admin',
        'admin→analyst',
        'admin→nobody',
        'analyst→admin',
        'analyst→analyst',
        'analyst→nobody',
        'nobody→admin',
        'nobody→analyst',
      ],
    ],
    ['analyst', []],
  ])('%s: %j', (by, expected) => {
    const all = TARGETS.flatMap((from) => TARGETS.map((to) => ({ from, to }))).filter(
      ({ from, to }) => from !== null || to !== null,
    );
    const permitted = all
      .filter(({ from, to }) => faultOf({ by, isOwn: false, from, to, owners: 2 }) === undefined)
      .map(({ from, to }) => `${from ?? 'nobody'}→${to ?? 'nobody'}`);
    expect(permitted.sort()).toEqual(expected[0] === 'any change' ? permitted.sort() : expected);
    if (expected[0] === 'any change') expect(permitted).toHaveLength(all.length);
  });

  it.each(MEMBER_ROLES)('anybody may leave: %s', (role) => {
    expect(faultOf({ by: role, isOwn: true, from: role, to: null, owners: 2 })).toBeUndefined();
  });

  it.each<[string, MemberRole | null, boolean, ActingRole]>([
    ['leaving', null, true, 'owner'],
    ['stepping down', 'admin', true, 'owner'],
    ['being removed', null, false, 'platform'],
    ['being demoted', 'analyst', false, 'platform'],
  ])('the last owner %s is refused', (_name, to, isOwn, by) => {
    expect(faultOf({ by, isOwn, from: 'owner', to, owners: 1 })).toBe('lastOwner');
    expect(faultOf({ by, isOwn, from: 'owner', to, owners: 2 })).toBeUndefined();
  });

  it('a last owner who stays one is none of that', () => {
    expect(faultOf({ by: 'owner', isOwn: true, from: 'owner', to: 'owner', owners: 1 })).toBeUndefined();
  });
});
