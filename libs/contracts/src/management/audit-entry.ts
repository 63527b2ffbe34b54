/** Who changed what (interface page, section 9). It names resources, never their content. */
export interface AuditEntryResource {
  readonly id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** A user by the issuer's subject, an API key by its id; null for the platform itself. */
  readonly actor: string | null;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string;
}
