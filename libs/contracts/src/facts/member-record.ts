import { recordCodec } from './record-codec.js';

/** Ordered by permissions, highest first. */
export const MEMBER_ROLES = ['owner', 'admin', 'analyst'] as const;
/** One of `MEMBER_ROLES`. */
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Whether the person has accepted. Until then they appear as a member only in their own list. */
export const MEMBERSHIPS = ['invited', 'accepted'] as const;
/** One of `MEMBERSHIPS`. */
export type Membership = (typeof MEMBERSHIPS)[number];

/** The highest of a person's roles counts (interface page, section 9); undefined for none. */
export function highestRole(roles: readonly MemberRole[]): MemberRole | undefined {
  return MEMBER_ROLES.find((role) => roles.includes(role));
}

/**
 * The subject of a record: a user by the identity provider's subject or, without one, by an e-mail address in
 * lower case. Beside a subject, the address only records how the person was invited.
 */
export interface MemberName {
  readonly workspace_id: string;
  readonly sub: string | null;
  readonly email: string | null;
}

/** The value of `members.v1`, key `memberKey`; a null value means that the user is no longer a member. */
export interface MemberRecord extends MemberName {
  readonly member_id: string;
  readonly role: MemberRole;
  readonly membership: Membership;
  /** The workspace is suspended: its members' ID tokens are refused. */
  readonly suspended: boolean;
  /** Requests per clock hour (UTC) over all ID tokens of the workspace's members. */
  readonly hourly_limit: number;
  readonly version: number;
}

const BEFORE_SUB = ':';
const BEFORE_EMAIL = '@';
/** A workspace's id contains neither separator; a subject may contain any. */
const KEY = /^([^:@]*)([:@])(.*)$/su;

/**
 * `<workspace id>:<sub>` or `<workspace id>@<e-mail>`: a user has at most one record of each kind per
 * workspace.
 */
export function memberKey({ workspace_id, sub, email }: MemberName): string {
  return sub === null ? `${workspace_id}${BEFORE_EMAIL}${email ?? ''}` : `${workspace_id}${BEFORE_SUB}${sub}`;
}

/** The member that a key names; undefined for an invalid key. */
export function memberNameOf(key: string): MemberName | undefined {
  const [, workspace_id, separator, name = ''] = KEY.exec(key) ?? [];
  if (workspace_id === undefined) return undefined;
  return separator === BEFORE_SUB
    ? { workspace_id, sub: name, email: null }
    : { workspace_id, sub: null, email: name };
}

/** Writes and reads the value of `members.v1`. */
export const MEMBER_RECORD = recordCodec(
  (reader): MemberRecord => ({
    workspace_id: reader.text('workspace_id'),
    sub: reader.textOrNull('sub'),
    email: reader.textOrNull('email'),
    member_id: reader.text('member_id'),
    role: reader.oneOf('role', MEMBER_ROLES) ?? 'analyst',
    membership: reader.oneOf('membership', MEMBERSHIPS) ?? 'invited',
    suspended: reader.flag('suspended'),
    hourly_limit: reader.integer('hourly_limit'),
    version: reader.integer('version'),
  }),
  ({ sub, email }) => (sub === null && email === null ? ['sub'] : []),
);
