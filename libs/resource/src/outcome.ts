import type { ResourceCommand } from '@truetally/contracts/resource';
import type { Failure } from '@truetally/kernel';
import type { OutgoingFact } from '@truetally/persistence';
import type { AuditEntry } from '@truetally/service';
import type { ClientBase, PoolClient } from 'pg';

/** Executes a command inside its transaction. */
export type CommandWork = (
  client: PoolClient,
  command: ResourceCommand,
  context: CommandContext,
) => Promise<Outcome>;

/** The non-deterministic inputs of a command: one time for all that it writes, by the clock of Postgres, and new ids. */
export interface CommandContext {
  readonly nowMs: number;
  /** An unused UUID. */
  newId(): string;
}

/**
 * The outcome of a command. A refusal changes nothing; a change is published to the other services and
 * recorded in the audit log.
 */
export type Outcome = Change | { readonly error: Failure };

/** A successful change: its answer, its facts and its audit entry. */
export interface Change {
  /** The `data` that the client reads. It is stored for replays, so that it must not contain a secret. */
  readonly ok: object;
  readonly facts?: readonly OutgoingFact[];
  readonly audit?: ChangeEntry;
}

/** The audit entry of a change; default workspace: the command's. */
export type ChangeEntry = Pick<AuditEntry, 'action' | 'resource' | 'resourceId'> &
  Partial<Pick<AuditEntry, 'workspaceId'>>;

/**
 * Writes the audit entry of a change in the transaction of the change: `recordAudit` everywhere but in
 * management itself.
 */
export type AuditWriter = (client: ClientBase, entry: AuditEntry) => Promise<void>;

/** A reply as its JSON text, `{"ok":…}`, or a refusal. */
export type WrittenReply = string | { readonly error: Failure };
