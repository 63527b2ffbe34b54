import { Inject, Injectable } from '@nestjs/common';
import {
  type CommandAnswer,
  type ManagementCommand,
  type ManagementQuery,
  readManagementCommand,
  readManagementQuery,
} from '@truetally/contracts/management';
import { type Failure, type Reply, type Result } from '@truetally/kernel';
import { TransientError, UnreadableError } from '@truetally/messaging';
import {
  appendToOutbox,
  type CarriedOut,
  commandOnce,
  isTransient,
  OutboxRelay,
  type OutgoingFact,
  SharedReader,
} from '@truetally/persistence';
import pg from 'pg';
import { refusals } from '../domain/refusals.js';
import { appendToAuditLog, type AuditEntry } from './audit-log.store.js';
import { claimKey, keepReply } from './idempotent-replies.js';
import type { Queryable } from './page.js';

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

/** A reply as its JSON text, `{"ok":…}`, or a refusal. */
export type WrittenReply = string | { readonly error: Failure };

/** The service's way to Postgres. */
@Injectable()
export class Database {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(SharedReader) private readonly reader: SharedReader,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
  ) {}

  /**
   * Carries a command out: its rows, facts, audit entry and replies are written in one transaction or not at all. A
   * redelivery (the same correlation id) and a repetition by the client (the same idempotency key) answer the first
   * reply. Its facts leave right after the commit.
   * @throws TransientError while Postgres is away: the request waits and is tried again
   */
  async command(
    message: unknown,
    correlationId: string,
    work: (client: pg.PoolClient, command: ManagementCommand) => Promise<Outcome>,
  ): Promise<Reply<CommandAnswer<unknown>>> {
    const command = readManagementCommand(message);
    if (!command.ok) throw new UnreadableError(command.error);
    const reply = await whileAvailable(() =>
      commandOnce(this.pool, correlationId, (client) => this.decide(client, command.value, work)),
    );
    this.relay.wake();
    return reply;
  }

  /** Answers a query outside of any transaction. */
  async query<R extends Reply<unknown> | WrittenReply>(
    message: unknown,
    work: (client: Queryable, query: ManagementQuery) => Promise<R>,
  ): Promise<R> {
    const query = readManagementQuery(message);
    if (!query.ok) throw new UnreadableError(query.error);
    return whileAvailable(() => work(this.reader, query.value));
  }

  /** Notes what somebody tells and does not wait for; told twice, it says the same. */
  async note<T>(
    message: unknown,
    read: (message: unknown) => Result<T, string>,
    work: (client: Queryable, told: T) => Promise<Reply<object>>,
  ): Promise<Reply<object>> {
    const told = read(message);
    if (!told.ok) throw new UnreadableError(told.error);
    return whileAvailable(() => work(this.pool, told.value));
  }

  private async decide(
    client: pg.PoolClient,
    command: ManagementCommand,
    work: (client: pg.PoolClient, command: ManagementCommand) => Promise<Outcome>,
  ): Promise<CarriedOut<Reply<CommandAnswer<unknown>>>> {
    const claim = await claimKey(client, command);
    if (claim.kind === 'replay') return unchanged({ ok: { data: claim.data, replayed: true } });
    if (claim.kind === 'other-request') return unchanged(refusals.keyOfAnotherRequest());
    if (claim.kind === 'under-way') return unchanged(refusals.keyUnderWay());
    const outcome = await work(client, command);
    if ('error' in outcome) return unchanged(outcome);
    const { ok, facts = [], audit } = outcome;
    return {
      reply: { ok: { data: ok, replayed: false } },
      writes: [
        (to) => keepReply(to, command, ok),
        ...(audit === undefined
          ? []
          : [(to: pg.ClientBase) => appendToAuditLog(to, entryOf(command, audit))]),
        // Last, because from here to the commit every other writer of facts waits.
        (to) => appendToOutbox(to, facts),
      ],
    };
  }
}

function unchanged<R>(reply: R): CarriedOut<R> {
  return { reply, writes: [] };
}

async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTransient(error)) throw new TransientError('Postgres is away.', { cause: error });
    throw error;
  }
}

function entryOf({ workspace_id: workspaceId, actor }: ManagementCommand, audit: ChangeEntry): AuditEntry {
  return { workspaceId, ...audit, actor: actor?.sub ?? actor?.key_id ?? undefined, atMs: Date.now() };
}
