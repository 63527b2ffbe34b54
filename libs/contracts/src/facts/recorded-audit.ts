import { fail, type Result, succeed } from '@truetally/kernel';
import { UUID } from '../validation/forms.js';
import { RecordReader } from './record-reader.js';

/**
 * The value of `audit.recorded.v1`, key `workspace_id`: a change in a service's own tables, on its way to the
 * workspace's audit log (interface page, section 9). It names the changed resource, never its content.
 */
export interface RecordedAuditFact {
  /** The entry's id; the same in repeats. */
  readonly audit_id: string;
  readonly workspace_id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** A user's `sub`, or `key:<prefix>` (`auditActor`); null when the platform itself acts. */
  readonly actor: string | null;
  /** A verb: `create`, `update`, `delete`, … */
  readonly action: string;
  /** A kind of resource in `snake_case`: `commission_rule`. */
  readonly resource: string;
  readonly resource_id: string;
}

/** The actor as the audit log names it: a user by the issuer's subject, an API key by its prefix. */
export function auditActor(actor: { readonly sub: string } | { readonly keyPrefix: string }): string {
  return 'sub' in actor ? actor.sub : `key:${actor.keyPrefix}`;
}

/** Writes the value of `audit.recorded.v1`. */
export function encodeRecordedAudit(fact: RecordedAuditFact): string {
  return JSON.stringify(fact);
}

/** Reads a value of `audit.recorded.v1`; never throws. The error names the fields. */
export function parseRecordedAudit(text: string): Result<RecordedAuditFact, string> {
  const reader = RecordReader.of(text);
  if (reader === undefined) return fail('not a JSON object');
  const fact: RecordedAuditFact = {
    audit_id: reader.text('audit_id'),
    workspace_id: reader.text('workspace_id'),
    at: reader.instant('at'),
    actor: reader.textOrNull('actor'),
    action: reader.text('action'),
    resource: reader.text('resource'),
    resource_id: reader.text('resource_id'),
  };
  const faults = [...reader.faultsWith(), ...IDS.filter((name) => !UUID.test(fact[name]))];
  return faults.length === 0 ? succeed(fact) : fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
}

const IDS = ['audit_id', 'workspace_id', 'resource_id'] as const;
