import type { KeyringFile } from '@truetally/keyring';
import { type Logger, lookOut, type LookOut } from '@truetally/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { AdaptiveLimit, INITIAL_LIMIT } from '../domain/concurrency.js';
import { nextAttemptMs } from '../domain/retry-schedule.js';
import { Shares } from '../domain/shares.js';
import { claimDue, type ClaimedDelivery, isAnyDue } from '../storage/claim.store.js';
import { type AttemptOutcome, storeOutcomes } from '../storage/outcome.store.js';
import type { EndpointAnswer, EndpointClient } from './endpoint-client.js';
import { signWebhook } from './sign-webhook.js';

/** Receives the deliverer's measurements. */
export interface DeliveryObserver {
  /** An attempt ended. */
  attempted(outcome: 'delivered' | 'failed'): void;
  /** How long the first attempt of a delivery came after its creation. */
  waited(seconds: number): void;
}

export interface DelivererOptions {
  readonly pool: Pool;
  readonly directory: WorkflowDirectory;
  readonly client: EndpointClient;
  readonly keys: Pick<KeyringFile, 'keyring'>;
  readonly log: Logger;
  readonly observer: DeliveryObserver;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Of one process; `length` is that of their bodies, in characters: what is taken is taken as if each were as large as an event may be. */
const MOST_UNDER_WAY = { count: 1_024, length: 33_554_432 };
const MAX_BODY_LENGTH = 65_536;
/** How often what nobody wakes it for is looked for while there is something: retries that fall due, and what a process that died had queued. */
const LOOK_MS = 1_000;
const OUTCOMES_PER_TRANSACTION = 200;
const RETRY_MS = 500;

/**
 * Sends what is due, from any process of the program. Each workflow has a limit of its own, so that an endpoint that hangs holds
 * few connections and delays no other one, and each workspace a share, so that many of them do not either.
 */
export class Deliverer {
  private readonly limits = new Map<string, AdaptiveLimit>();
  private readonly underWay = new Set<Promise<void>>();
  /** By workspace. */
  private readonly shares = new Shares(MOST_UNDER_WAY, MAX_BODY_LENGTH);
  private outcomes: AttemptOutcome[] = [];
  private storing: Promise<void> | undefined;
  private looking: Promise<void> | undefined;
  private isWanted = false;
  private isStopping = false;
  private looks: LookOut | undefined;

  constructor(private readonly options: DelivererOptions) {}

  start(): void {
    this.looks = lookOut(LOOK_MS, () => void this.glance());
    this.wake();
  }

  private async glance(): Promise<void> {
    // While Postgres is away, a look waits until it is back.
    if (await isAnyDue(this.options.pool).catch(() => true)) this.wake();
  }

  /** Call it when there is something to send. */
  wake(): void {
    this.isWanted = true;
    if (this.isStopping) return;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
      if (this.isWanted && !this.isStopping) this.wake();
    });
  }

  /** Takes nothing more, and stores the outcomes of what is under way. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.looks?.end();
    await this.looking;
    await Promise.all(this.underWay);
    await this.storing;
  }

  private async look(): Promise<void> {
    while (this.isWanted && !this.isStopping) {
      this.isWanted = false;
      const limit = this.shares.room;
      // The end of an attempt wakes it again.
      if (limit === 0) return;
      try {
        const { deliveries, nowMs } = await claimDue(this.options.pool, { ...this.capacities(), limit });
        const takenAt = performance.now();
        for (const delivery of deliveries) {
          this.begin(delivery, () => nowMs + performance.now() - takenAt);
        }
        if (deliveries.length > 0) this.isWanted = true;
      } catch (error) {
        this.options.log.warn({ err: error }, 'Due deliveries cannot be taken; it is tried again.');
        await delay(RETRY_MS);
      }
    }
  }

  private capacities() {
    const free = new Map<string, number>();
    const saturated: string[] = [];
    for (const [id, limit] of this.limits) {
      if (limit.isForgettable(performance.now())) this.limits.delete(id);
      else if (limit.free === 0) saturated.push(id);
      else free.set(id, limit.free);
    }
    const shares = { full: this.shares.full(), admits: this.shares.admission() };
    return { saturated, free, freeByDefault: INITIAL_LIMIT, shares };
  }

  /** @param nowMs the database's clock: the clock of this machine may be wrong */
  private begin(delivery: ClaimedDelivery, nowMs: () => number): void {
    const limit = this.limits.get(delivery.workflowId) ?? new AdaptiveLimit();
    this.limits.set(delivery.workflowId, limit);
    limit.begin();
    this.looks?.found();
    this.shares.take(delivery.workspaceId, delivery.body.length);
    const attempt: Promise<void> = this.attempt(delivery, nowMs)
      .then((outcome) => {
        limit.end(outcome.isDelivered, performance.now());
        this.options.observer.attempted(outcome.isDelivered ? 'delivered' : 'failed');
        return this.store(outcome);
      })
      .finally(() => {
        this.underWay.delete(attempt);
        this.shares.giveBack(delivery.workspaceId, delivery.body.length);
        this.looks?.found();
        if (limit.isForgettable(performance.now())) this.limits.delete(delivery.workflowId);
        this.wake();
      });
    this.underWay.add(attempt);
  }

  /** Never rejects. */
  private async attempt(delivery: ClaimedDelivery, nowMs: () => number): Promise<AttemptOutcome> {
    const { deliveryId, workflowId, claim, tries, isReplay } = delivery;
    const atMs = nowMs();
    if (delivery.isFirst) this.options.observer.waited((atMs - delivery.createdAtMs) / 1_000);
    const { retryAfterMs, ...told } = await this.call(delivery, atMs);
    const refused = { status: told.status, retryAfterMs };
    const retryMs = nextAttemptMs(refused, tries + 1, this.options.random());
    const isDelivered = told.error === null;
    return { deliveryId, workflowId, claim, isDelivered, retryMs, atMs, isReplay, ...told };
  }

  private async call(
    { workflowId, deliveryId, body }: ClaimedDelivery,
    nowMs: number,
  ): Promise<EndpointAnswer> {
    const { directory, keys, client, log } = this.options;
    const workflow = directory.index.get(workflowId);
    if (workflow === undefined) return notSent('The workflow is not known yet.');
    const headers = signWebhook(keys, workflow, { deliveryId, body, nowMs });
    if (headers === undefined) {
      log.error({ workflow_id: workflowId }, 'The keyring has not the key of a secret of a workflow.');
      return notSent('The secret of the workflow cannot be read.');
    }
    return client.post(workflowId, workflow.url, { body, headers: { ...headers } });
  }

  /** Outcomes that end together are stored together. Resolves when this one is stored. */
  private async store(outcome: AttemptOutcome): Promise<void> {
    this.outcomes.push(outcome);
    while (this.outcomes.includes(outcome)) {
      this.storing ??= this.storeSome().finally(() => {
        this.storing = undefined;
      });
      await this.storing;
    }
    await this.storing;
  }

  /** Repeated while Postgres is away: until the lease ends nobody else sends them. */
  private async storeSome(): Promise<void> {
    const { pool, log } = this.options;
    const some = this.outcomes.slice(0, OUTCOMES_PER_TRANSACTION);
    try {
      await storeOutcomes(pool, some);
      this.outcomes = this.outcomes.slice(some.length);
    } catch (error) {
      log.warn({ err: error }, 'Outcomes of deliveries cannot be stored; it is tried again.');
      if (this.isStopping) this.outcomes = [];
      else await delay(RETRY_MS);
    }
  }
}

function notSent(error: string): EndpointAnswer {
  return { status: null, latencyMs: 0, error, response: null, retryAfterMs: null };
}
