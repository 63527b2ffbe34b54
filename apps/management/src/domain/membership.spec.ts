import { describe, expect, it } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@truetally/contracts/facts';
import fc from 'fast-check';
import { acceptedMember, type ActingRole, faultOf } from './membership.js';

const membership = 'accepted';

const TARGETS: readonly (MemberRole | null)[] = [...MEMBER_ROLES, null];

describe('permissions on members (interface page, section 9)', () => {
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
      .filter(({ from, to }) => faultOf({ by, isOwn: false, from, membership, to, owners: 2 }) === undefined)
      .map(({ from, to }) => `${from ?? 'nobody'}→${to ?? 'nobody'}`);
    expect(permitted.sort()).toEqual(expected[0] === 'any change' ? permitted.sort() : expected);
    if (expected[0] === 'any change') expect(permitted).toHaveLength(all.length);
  });

  it.each(MEMBER_ROLES)('anybody may leave: %s', (role) => {
    expect(faultOf({ by: role, isOwn: true, from: role, membership, to: null, owners: 2 })).toBeUndefined();
  });

  it.each<[string, MemberRole | null, boolean, ActingRole]>([
    ['leaving', null, true, 'owner'],
    ['stepping down', 'admin', true, 'owner'],
    ['being removed', null, false, 'platform'],
    ['being demoted', 'analyst', false, 'platform'],
  ])('the last owner %s is refused', (_name, to, isOwn, by) => {
    expect(faultOf({ by, isOwn, from: 'owner', membership, to, owners: 1 })).toBe('lastOwner');
    expect(faultOf({ by, isOwn, from: 'owner', membership, to, owners: 2 })).toBeUndefined();
  });

  it('a last owner who stays one is none of that', () => {
    expect(
      faultOf({ by: 'owner', isOwn: true, from: 'owner', membership, to: 'owner', owners: 1 }),
    ).toBeUndefined();
  });

  it('an owner who is only invited is not the one that a workspace keeps', () => {
    const invited = { isOwn: false, from: 'owner', membership: 'invited', to: null, owners: 1 } as const;
    expect(faultOf({ by: 'owner', ...invited })).toBeUndefined();
    expect(faultOf({ by: 'admin', ...invited })).toBe('ownersOnly');
    expect(faultOf({ by: 'platform', ...invited, owners: 0 })).toBeUndefined();
  });

  it('a member who is no owner may leave a single owner', () => {
    const leaving = { isOwn: true, membership, to: null, owners: 1 } as const;
    expect(faultOf({ by: 'admin', from: 'admin', ...leaving })).toBeUndefined();
    expect(faultOf({ by: 'analyst', from: 'analyst', ...leaving, to: 'admin' })).toBe('roleForbidden');
  });
});

describe('who accepts', () => {
  const own = fc.record({
    sub: fc.constantFrom(null, 'auth0|me'),
    email: fc.constantFrom(null, 'me@shop.example', 'old@shop.example'),
    role: fc.constantFrom(...MEMBER_ROLES),
    membership: fc.constantFrom('invited' as const, 'accepted' as const),
  });

  it('becomes one member by subject, with the highest of the roles, and keeps the first address', () => {
    fc.assert(
      fc.property(fc.array(own, { minLength: 1, maxLength: 3 }), (rows) => {
        const member = acceptedMember('auth0|me', rows);
        const roles = rows.map(({ role }) => role);
        expect(member).toEqual({
          sub: 'auth0|me',
          email: rows.map(({ email }) => email).find((email) => email !== null) ?? null,
          role: roles.includes('owner') ? 'owner' : roles.includes('admin') ? 'admin' : 'analyst',
          membership: 'accepted',
        });
      }),
    );
  });
});
