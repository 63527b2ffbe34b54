import type { ResourceCommand } from '@truetally/contracts/resource';
import type { Failure } from '@truetally/kernel';
import type { OutgoingFact } from '@truetally/persistence';
import type { AuditEntry } from '@truetally/service';
import type { ClientBase, PoolClient } from 'pg';

/** Carries a command out inside its transaction. */
export type CommandWork = (
  client: PoolClient,
  command: ResourceCommand,
  context: CommandContext,
) => Promise<Outcome>;

/** What a command's work may not take from its surroundings: one moment for all that it writes, and new ids. */
export interface CommandContext {
  readonly nowMs: number;
  /** A UUID that nothing has yet. */
  newId(): string;
}

/** What a command came to. A refusal changes nothing; a change is told to the other services and the audit log. */
export type Outcome = Change | { readonly error: Failure };

export interface Change {
  /** What the client reads under `data`; it is kept for replays, so that it must hold no secret. */
  readonly ok: object;
  readonly facts?: readonly OutgoingFact[];
  readonly audit?: ChangeEntry;
}

/** The audit entry of a change; its workspace is the command's where it names no other. */
export type ChangeEntry = Pick<AuditEntry, 'action' | 'resource' | 'resourceId'> &
  Partial<Pick<AuditEntry, 'workspaceId'>>;

/** Writes the audit entry of a change in the transaction of the change: `recordAudit`, but in management itself. */
export type AuditWriter = (client: ClientBase, entry: AuditEntry) => Promise<void>;

/** A reply as its JSON text, `{"ok":…}`, or a refusal. */
export type WrittenReply = string | { readonly error: Failure };
