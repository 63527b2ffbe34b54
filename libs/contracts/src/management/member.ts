import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, succeed } from '@truetally/kernel';
import { MEMBER_ROLES, type MemberRole, type Membership, MEMBERSHIPS } from '../facts/member-record.js';
import {
  BODY_PATH,
  compileReader,
  compileValidator,
  toFieldErrors,
} from '../validation/compile-validator.js';
import { Identifier, Matching, OneOf, Optional, OrNull, Readable } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { EMAIL_FORM, normaliseEmail } from './email.js';

/** OpenID Connect Core, section 2. */
const SUBJECT = { max: 255 };

/**
 * Body of `POST /workspaces/{id}/members` (interface page, section 9): a person by exactly one of its names.
 */
export class MemberBody {
  @Optional() @Identifier(SUBJECT) sub?: string | null;
  @Optional() @Readable(normaliseEmail, EMAIL_FORM, 'email') email?: string | null;
  @OneOf(MEMBER_ROLES) role!: MemberRole;
}

/** The mutable fields of a member: the person never changes. */
export class MemberRoleBody {
  @OneOf(MEMBER_ROLES) role!: MemberRole;
}

/** Fields of a member that a client sets. */
export interface MemberFields {
  /** The identity provider's subject; null for an e-mail invitation that is not accepted yet. */
  readonly sub: string | null;
  /** In lower case: the invited address; null for a member who was invited by subject. */
  readonly email: string | null;
  readonly role: MemberRole;
}

/** A person in a workspace. */
export class MemberResource extends Resource implements MemberFields {
  @Matching(UUID, UUID_FORM) readonly workspace_id!: string;
  @OrNull() @Identifier(SUBJECT) readonly sub!: string | null;
  @OrNull() @Readable(normaliseEmail, EMAIL_FORM, 'email') readonly email!: string | null;
  @OneOf(MEMBER_ROLES) readonly role!: MemberRole;
  /** `invited` until the person accepts; until then they are not a member elsewhere. */
  @OneOf(MEMBERSHIPS) readonly membership!: Membership;
}

/** An error in one of these already says that the name is invalid. */
const NAMES: ReadonlySet<string> = new Set([BODY_PATH, 'sub', 'email']);

const validateMember = compileValidator(MemberBody, { unknownFields: 'refused' });

/** Every broken rule, or the member in the body. */
export function readMember(body: unknown): BodyReading<MemberFields> {
  const violations = [...validateMember(body)];
  const { sub = null, email = null, role } = (body ?? {}) as MemberBody;
  if (!violations.some(({ path }) => NAMES.has(path))) {
    if (sub === null && email === null) {
      violations.push({ path: 'sub', message: 'must be given when email is not' });
    }
    if (sub !== null && email !== null) {
      violations.push({ path: 'email', message: 'must not be given beside sub' });
    }
  }
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed({ sub, email: email === null ? null : (normaliseEmail(email) ?? email), role });
}

/** Every broken rule, or the new role of a change. */
export const validateMemberRole = compileReader(MemberRoleBody, { unknownFields: 'refused' });
