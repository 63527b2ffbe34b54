import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from './record-reader.js';

export const MEMBER_ROLES = ['owner', 'admin', 'analyst'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The value of `members.v1`, key `memberKey`; a null value says that the user is no member any more. */
export interface MemberRecord {
  readonly workspace_id: string;
  /** The identity provider's subject: the user. */
  readonly sub: string;
  readonly role: MemberRole;
  /** The workspace is suspended: its members' ID tokens are refused. */
  readonly suspended: boolean;
  /** Requests per clock hour (UTC) over all ID tokens of the workspace's members. */
  readonly hourly_limit: number;
}

/** A user has one record in each workspace. A subject may hold any character, a workspace's id no colon. */
export function memberKey({ workspace_id, sub }: Pick<MemberRecord, 'workspace_id' | 'sub'>): string {
  return `${workspace_id}:${sub}`;
}

export function encodeMemberRecord(record: MemberRecord): string {
  return JSON.stringify(record);
}

/** Reads a value of `members.v1`; never throws. The error names the fields. */
export function parseMemberRecord(text: string): Result<MemberRecord, string> {
  const reader = RecordReader.of(text);
  if (reader === undefined) return fail('not a JSON object');
  const record: MemberRecord = {
    workspace_id: reader.text('workspace_id'),
    sub: reader.text('sub'),
    role: reader.oneOf('role', MEMBER_ROLES) ?? 'analyst',
    suspended: reader.flag('suspended'),
    hourly_limit: reader.integer('hourly_limit'),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(record) : fail(`unreadable: ${faults.join(', ')}`);
}
