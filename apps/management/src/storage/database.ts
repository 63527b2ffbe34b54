import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import {
  appendToOutbox,
  inTransaction,
  isTransient,
  once,
  OutboxRelay,
  type OutgoingFact,
} from '@truetally/persistence';
import pg from 'pg';
import { appendToAuditLog, type AuditEntry } from './audit-log.store.js';

/** What a command came to. A refusal changes nothing; a change is told to the other services and the audit log. */
export interface Outcome {
  readonly reply: Reply<unknown>;
  readonly facts?: readonly OutgoingFact[];
  readonly audit?: AuditEntry;
}

/** The service's way to Postgres. */
@Injectable()
export class Database {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
  ) {}

  /**
   * Runs a command: its rows, facts, audit entry and reply are written in one transaction or not at all, and a
   * redelivery (the same correlation id) answers the first reply. Its facts leave right after the commit.
   * @throws TransientError while Postgres is away: the request waits and is tried again
   */
  async run(
    correlationId: string,
    command: (client: pg.PoolClient) => Promise<Outcome>,
  ): Promise<Reply<unknown>> {
    try {
      const reply = await inTransaction(this.pool, (client) =>
        once(client, correlationId, () => this.execute(client, command)),
      );
      this.relay.wake();
      return reply;
    } catch (error) {
      if (isTransient(error)) throw new TransientError('Postgres is away.', { cause: error });
      throw error;
    }
  }

  private async execute(
    client: pg.PoolClient,
    command: (client: pg.PoolClient) => Promise<Outcome>,
  ): Promise<Reply<unknown>> {
    const { reply, facts, audit } = await command(client);
    if (audit !== undefined) await appendToAuditLog(client, audit);
    // Last, because from here to the commit every other writer of facts waits.
    if (facts !== undefined) await appendToOutbox(client, facts);
    return reply;
  }
}
