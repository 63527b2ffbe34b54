import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { ExperimentResource } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import { Messaging } from '@truetally/messaging';
import { eventually, request } from '@truetally/processes';
import pg from 'pg';
import { fillSessions } from './fill-sessions.js';
import type { LoadResult } from './load-job.js';
import { load } from './measure.js';
import type { ProductStack } from './product-stack.js';
import { touchSessions } from './touch-sessions.js';
import { freshPrefix } from './scenarios.js';

const ASKS = 200;
const FACTS_AT_ONCE = 1_000;
const MS_PER_SECOND = 1_000;
const ORIGIN = 'http://localhost:3000';
const TOUCH_ID = 'bench-touch';

/** Beyond what a second can assign. */
const SESSIONS_PER_SECOND = 8_000;

/** A site with a running experiment, and a touch for each session that is going to ask. */
export class ExperimentBench {
  private constructor(
    private readonly stack: ProductStack,
    private readonly token: string,
    private readonly experimentId: string,
  ) {}

  static async open(stack: ProductStack): Promise<ExperimentBench> {
    const site = { site_id: stack.siteId };
    const issued = await ask<{ token: string }>(stack, 'runtime/tokens', site, { origin: ORIGIN });
    const visitor = { authorization: `Bearer ${issued.token}`, origin: ORIGIN };
    await ask(stack, 'partner-attribution/touches', { touches: [touch()] }, visitor);
    const id = await startExperiment(stack);
    await eventually(async () => {
      const body = { session_id: 'warm', touch_ids: [TOUCH_ID] };
      const path = 'partner-experiments/assignments';
      return (await ask<{ assignments: object[] }>(stack, path, body, visitor)).assignments.length > 0;
    });
    return new ExperimentBench(stack, issued.token, id);
  }

  async assign({
    connections,
    idPrefix = freshPrefix(),
    ...length
  }: {
    readonly connections: number;
    readonly idPrefix?: string;
    readonly seconds?: number;
    readonly amount?: number;
  }): Promise<LoadResult> {
    const most = length.amount ?? (length.seconds ?? 1) * SESSIONS_PER_SECOND;
    await this.withTables((owner) => touchSessions(owner, { siteId: this.stack.siteId, idPrefix, most }));
    return load({
      url: `${this.stack.baseUrl}/partner-experiments/assignments`,
      headers: { authorization: `Bearer ${this.token}`, origin: ORIGIN },
      connections,
      ...length,
      payload: { kind: 'sessions', eventsPerRequest: 1, idPrefix },
    });
  }

  /**
   * Publishes one order for each of many sessions, as the ledger does, and queries results until all are
   * folded.
   */
  async fold(facts: number): Promise<{
    readonly perSecond: number;
    readonly worstAskMs: number;
    readonly behindMs: number;
  }> {
    const silent = (): void => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const options = {
      brokers: [this.stack.brokers],
      clientId: 'bench',
      instance: 'bench-facts',
      topicPrefix: '',
    };
    const messaging = new Messaging({ ...options, log });
    await messaging.start();
    try {
      const ids = await this.assignmentIds(facts);
      const startedAt = performance.now();
      for (let from = 0; from < ids.length; from += FACTS_AT_ONCE) {
        const some = ids.slice(from, from + FACTS_AT_ONCE);
        await messaging.publish(some.map((id) => factOf(this.stack.siteId, id)));
      }
      const toldAt = performance.now();
      const worstAskMs = await this.askUntilFolded(ids.length);
      const now = performance.now();
      return {
        perSecond: (ids.length * MS_PER_SECOND) / (now - startedAt),
        worstAskMs,
        behindMs: now - toldAt,
      };
    } finally {
      await messaging.close();
    }
  }

  /**
   * Medians over experiments with so many sessions each: their rows and their sums. Queries alternate, so that
   * other work of the machine (above all writing back the filled tables) affects both in the same way.
   */
  async askOver(sessions: readonly number[]): Promise<readonly number[]> {
    const filled: { readonly id: string; readonly times: number[] }[] = [];
    for (const count of sessions) {
      const id = await startExperiment(this.stack);
      await this.withTables((owner) =>
        fillSessions(owner, { id, siteId: this.stack.siteId, sessions: count }),
      );
      filled.push({ id, times: [] });
    }
    for (let asked = 0; asked < ASKS; asked += 1) {
      for (const { id, times } of filled) times.push(await this.askOnce(id));
    }
    return filled.map(({ times }) => times.sort((one, other) => one - other)[ASKS / 2] ?? Number.NaN);
  }

  private async askUntilFolded(orders: number): Promise<number> {
    let worst = 0;
    await eventually(
      async () => {
        worst = Math.max(worst, await this.askOnce(this.experimentId));
        return this.withTables(async (owner) => {
          const { rows } = await owner.query<{ orders: number }>(
            'select sum(live_orders)::float8 as orders from arm_sums where experiment_id = $1',
            [this.experimentId],
          );
          return (rows[0]?.orders ?? 0) >= orders;
        });
      },
      { timeoutMs: 120_000, message: 'every fact folded' },
    );
    return worst;
  }

  private async askOnce(experimentId: string): Promise<number> {
    const startedAt = performance.now();
    await ask(this.stack, `partner-experiments/${experimentId}/results`);
    return performance.now() - startedAt;
  }

  private assignmentIds(most: number): Promise<readonly string[]> {
    return this.withTables(async (owner) => {
      const { rows } = await owner.query<{ assignment_id: string }>(
        'select assignment_id from session_results where experiment_id = $1 limit $2',
        [this.experimentId, most],
      );
      return rows.map((row) => row.assignment_id);
    });
  }

  private async withTables<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
    const owner = new pg.Client({
      connectionString: this.stack.databaseUrl,
      options: '-c search_path=experiments',
    });
    await owner.connect();
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  }
}

async function startExperiment(stack: ProductStack): Promise<string> {
  const campaign = await ask<{ id: string }>(stack, 'campaigns', {
    site_id: stack.siteId,
    type: 'overlay',
    name: 'Bench',
    content: { layout: 'corner', title: 'Bench' },
  });
  const { id } = await ask<ExperimentResource>(stack, 'partner-experiments', {
    site_id: stack.siteId,
    name: 'Bench',
    surface: 'overlay',
    campaign_ids: [campaign.id],
    minimum_detectable_effect: 0.1,
    baseline_rate: 0.1,
  });
  await ask(stack, `partner-experiments/${id}/start`, {});
  return id;
}

function touch(): object {
  return {
    schema_version: 1,
    touch_id: TOUCH_ID,
    provider: 'awin',
    direction: 'inbound',
    provider_click_id: 'bench',
    landing_path: '/',
    occurred_at: new Date().toISOString(),
    provenance: 'browser_sdk',
  };
}

/** A purchase as `conversions.recorded.v1` has it, with the fields that experiments read. */
function factOf(siteId: string, assignmentId: string) {
  const now = new Date().toISOString();
  const fact = {
    record_id: randomUUID(),
    conversion_id: randomUUID(),
    site_id: siteId,
    order_sequence: 1,
    event_type: 'purchase',
    currency: 'EUR',
    purchase_occurred_at: now,
    recorded_at: now,
    revenue_delta: '49.90',
    margin_delta: '20.00',
    margin_basis: 'exact',
    commission_delta: '2.50',
    attribution: [],
    experiment_assignment_ids: [assignmentId],
  };
  return {
    topic: TOPICS.conversionsRecorded.name,
    key: `${siteId}:${fact.conversion_id}`,
    value: JSON.stringify(fact),
  };
}

async function ask<T>(
  stack: ProductStack,
  path: string,
  json?: object,
  headers: Readonly<Record<string, string>> = {
    authorization: `Bearer ${stack.ownerToken}`,
    'x-workspace-id': stack.workspaceId,
  },
): Promise<T> {
  const answer = await request<T>(`${stack.baseUrl}/${path}`, {
    headers,
    ...(json === undefined ? {} : { json }),
  });
  if (answer.body.data === undefined) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data;
}
