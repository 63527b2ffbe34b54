import { UUID } from '../validation/forms.js';
import { recordCodec } from './record-codec.js';

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

/** Writes and reads the value of `audit.recorded.v1`. */
export const RECORDED_AUDIT_FACT = recordCodec(
  (reader): RecordedAuditFact => ({
    audit_id: reader.text('audit_id'),
    workspace_id: reader.text('workspace_id'),
    at: reader.instant('at'),
    actor: reader.textOrNull('actor'),
    action: reader.text('action'),
    resource: reader.text('resource'),
    resource_id: reader.text('resource_id'),
  }),
  (fact) => IDS.filter((name) => !UUID.test(fact[name])),
);

const IDS = ['audit_id', 'workspace_id', 'resource_id'] as const;
