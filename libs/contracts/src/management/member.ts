import type { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, succeed } from '@truetally/kernel';
import { MEMBER_ROLES, type MemberRole, type Membership } from '../facts/member-record.js';
import { BODY_PATH, compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import { Identifier, OneOf, Optional, Readable } from '../validation/decorators.js';
import { EMAIL_FORM, normaliseEmail } from './email.js';

/** OpenID Connect Core, section 2. */
const SUBJECT = { max: 255 };

/** Body of `POST /workspaces/{id}/members` (interface page, section 9): a person by exactly one of its names. */
export class MemberBody {
  @Optional() @Identifier(SUBJECT) sub?: string | null;
  @Optional() @Readable(normaliseEmail, EMAIL_FORM, 'email') email?: string | null;
  @OneOf(MEMBER_ROLES) role!: MemberRole;
}

/** What a `PATCH` may change: who is meant never changes. */
export class MemberRoleBody {
  @OneOf(MEMBER_ROLES) role!: MemberRole;
}

export interface MemberFields {
  /** The identity provider's subject; null for somebody who is invited by e-mail, until that person accepts. */
  readonly sub: string | null;
  /** In lower case: how the person was invited; null for whoever was invited by subject only. */
  readonly email: string | null;
  readonly role: MemberRole;
}

/** A person in a workspace. */
export interface MemberResource extends Resource, MemberFields {
  readonly workspace_id: string;
  /** `invited` until that person accepts; before that they are no member anywhere else. */
  readonly membership: Membership;
}

/** What is wrong with one of these says already that nobody is named. */
const NAMES: ReadonlySet<string> = new Set([BODY_PATH, 'sub', 'email']);

const validateMember = compileValidator(MemberBody, { unknownFields: 'refused' });
const validateRole = compileValidator(MemberRoleBody, { unknownFields: 'refused' });

/** Every broken rule at once, or the member that the body says. */
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

/** The role that a change asks for. */
export function readMemberRole(body: unknown): BodyReading<Pick<MemberFields, 'role'>> {
  const violations = validateRole(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed({ role: (body as MemberRoleBody).role });
}
