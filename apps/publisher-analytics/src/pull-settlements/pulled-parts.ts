import { inTransaction, type OutboxRelay } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { NETWORKS } from '../connectors/networks.js';
import type { RawRow } from '../domain/read-settlement-row.js';
import type { RowJudge } from '../import-settlements/judge-rows.js';
import { added, NO_ROWS, recordRows, type TakenRows } from '../import-settlements/take-rows.js';
import type { PullStore } from '../storage/pull.store.js';
import type { SettlementStore } from '../storage/settlement.store.js';
import type { AnswerParts } from './ask-network.js';
import type { OpenedIntegration } from './integration-access.js';

/** What an answer of a network is stored with. */
export interface StoringParts {
  readonly pool: Pool;
  readonly judge: RowJudge;
  readonly settlements: SettlementStore;
  readonly pulls: PullStore;
  readonly relay: Pick<OutboxRelay, 'wake'>;
}

/** Another answer was stored since this one was asked for: this one may be older, and is dropped. */
export class OlderAnswerError extends Error {
  override readonly name = 'OlderAnswerError';
}

type Pulled = Pick<OpenedIntegration, 'provider' | 'siteId'> & { readonly integrationId: string };

/** Stores the parts of one answer of a network, in its order. */
export class PulledParts implements AnswerParts {
  private taken = NO_ROWS;

  constructor(
    private readonly parts: StoringParts,
    private readonly pulled: Pulled,
    private next: bigint,
  ) {}

  /**
   * A part, in a transaction of its own.
   * @throws OlderAnswerError, and Postgres' error
   */
  async take(rows: readonly RawRow[]): Promise<void> {
    this.taken = await inTransaction(this.parts.pool, (client) => this.record(client, rows));
    this.next += 1n;
    this.parts.relay.wake();
  }

  /**
   * A part, in the caller's transaction; nothing follows it.
   * @returns the outcome of all parts
   * @throws OlderAnswerError, and Postgres' error
   */
  async record(client: ClientBase, raw: readonly RawRow[]): Promise<TakenRows> {
    const { judge, pulls, settlements } = this.parts;
    const { integrationId, siteId, provider } = this.pulled;
    const { isChangeTimed } = NETWORKS[provider];
    const judged = raw.map((row, index) =>
      judge.judge(row, { siteId, provider, row: this.taken.done + index + 1, isChangeTimed }),
    );
    const recording = await settlements.begin(client, siteId);
    if (!(await pulls.countPart(client, integrationId, this.next))) throw new OlderAnswerError();
    const taken = await recordRows(recording, judged);
    await recording.finish();
    return added(this.taken, taken);
  }
}
