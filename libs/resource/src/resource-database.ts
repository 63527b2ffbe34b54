import { randomUUID } from 'node:crypto';
import { auditActor } from '@truetally/contracts/facts';
import {
  type Actor,
  type CommandAnswer,
  type ResourceCommand,
  resourceRefusals,
  type ResourceQuery,
} from '@truetally/contracts/resource';
import { type Reply } from '@truetally/kernel';
import {
  appendToOutbox,
  type CarriedOut,
  commandOnce,
  inSnapshot,
  inTransaction,
  type OutboxRelay,
  type SharedReader,
} from '@truetally/persistence';
import { type AuditEntry, whileAvailable } from '@truetally/service';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { claimKey, keepReply, KEPT_REPLY_BYTES } from './idempotent-replies.js';
import type { AuditWriter, ChangeEntry, CommandContext, CommandWork, WrittenReply } from './outcome.js';
import type { Queryable } from './page.js';

/** What a service's resources are stored and published with. */
export interface ResourceDatabaseOptions {
  /** The service's own pool, which pipelines. Its schema has an inbox, an outbox and `idempotent_replies`. */
  readonly pool: Pool;
  /** For queries. */
  readonly reader: SharedReader;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly audit: AuditWriter;
}

/** Runs a service's commands and queries in Postgres, for any resource. */
export class ResourceDatabase {
  /** So many commands at a time. */
  readonly connections: number;

  constructor(private readonly options: ResourceDatabaseOptions) {
    this.connections = options.pool.options.max;
  }

  /**
   * Executes a command: its rows, facts, audit entry and replies are written in one transaction or not at
   * all. A redelivery (the same correlation id) and a client's retry (the same idempotency key) return the
   * first reply. Its facts are published right after the commit.
   * @throws TransientError while Postgres is unavailable: the request is retried later
   */
  async command(
    command: ResourceCommand,
    correlationId: string,
    work: CommandWork,
  ): Promise<Reply<CommandAnswer<unknown>>> {
    const reply = await whileAvailable(() =>
      commandOnce(this.options.pool, correlationId, (client) =>
        this.decide(client, command, correlationId, work),
      ),
    );
    this.options.relay.wake();
    return reply;
  }

  /** Answers a query outside of any transaction. */
  async query<Q extends object, R extends Reply<unknown> | WrittenReply>(
    query: Q,
    work: (client: Queryable, query: Q) => Promise<R>,
  ): Promise<R> {
    return whileAvailable(() => work(this.options.reader, query));
  }

  /** The same for an answer from several statements, which all see one instant. */
  async report<R extends Reply<unknown>>(
    query: ResourceQuery,
    work: (client: Queryable, query: ResourceQuery) => Promise<R>,
  ): Promise<R> {
    const { pool } = this.options;
    return whileAvailable(() => inSnapshot(pool, (client) => work(client, query)));
  }

  /** Records a message that has no reply; idempotent. */
  async note<T>(
    told: T,
    work: (client: Queryable, told: T) => Promise<Reply<object>>,
  ): Promise<Reply<object>> {
    return whileAvailable(() => work(this.options.pool, told));
  }

  /** Carries out a message of another service that may come twice, in one transaction. */
  async change<T, Answer>(
    told: T,
    work: (client: ClientBase, told: T) => Promise<Reply<Answer>>,
  ): Promise<Reply<Answer>> {
    return whileAvailable(() => inTransaction(this.options.pool, (client) => work(client, told)));
  }

  private async decide(
    client: PoolClient,
    command: ResourceCommand,
    correlationId: string,
    work: CommandWork,
  ): Promise<CarriedOut<Reply<CommandAnswer<unknown>>>> {
    const [claim, nowMs] = await Promise.all([claimKey(client, command, correlationId), timeOf(client)]);
    if (claim.kind === 'replay') return unchanged({ ok: { data: claim.data, replayed: true } });
    if (claim.kind === 'other-request') return unchanged(resourceRefusals.keyOfAnotherRequest());
    if (claim.kind === 'under-way') return { ...unchanged(resourceRefusals.keyUnderWay()), isKept: false };
    if (claim.kind === 'full') return unchanged(resourceRefusals.keysUsedUp(KEPT_REPLY_BYTES));
    const context: CommandContext = { nowMs, newId: randomUUID };
    const outcome = await work(client, command, context);
    if ('error' in outcome) return unchanged(outcome);
    const { ok, facts = [], audit } = outcome;
    return {
      reply: { ok: { data: ok, replayed: false } },
      writes: [
        (to) => keepReply(to, command, ok),
        ...(audit === undefined
          ? []
          : [(to: ClientBase) => this.options.audit(to, entryOf(command, audit, context.nowMs))]),
        // Last, because every other writer of facts waits from here to the commit.
        (to) => appendToOutbox(to, facts),
      ],
    };
  }
}

/**
 * Of Postgres, in whole epoch milliseconds: events are stored by this clock, and what a command says is compared with them, such as
 * from when on a workflow is told of them. The clock of this machine may be wrong.
 */
async function timeOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ now_ms: number }>({
    name: 'command-time',
    text: 'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',
  });
  const [first] = rows;
  if (first === undefined) throw new Error('Postgres has no time.');
  return first.now_ms;
}

function unchanged<R>(reply: R): CarriedOut<R> {
  return { reply, writes: [] };
}

function entryOf(
  { workspace_id: workspaceId, actor }: ResourceCommand,
  audit: ChangeEntry,
  atMs: number,
): AuditEntry {
  return { workspaceId, ...audit, actor: nameOf(actor), atMs };
}

/** Undefined for the platform itself. */
function nameOf(actor: Actor | null): string | undefined {
  if (actor === null) return undefined;
  const { sub, key_prefix: keyPrefix } = actor;
  if (sub !== null) return auditActor({ sub });
  return keyPrefix === null ? undefined : auditActor({ keyPrefix });
}
