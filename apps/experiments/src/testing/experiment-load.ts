import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedConversionFact, RecordedTouchFact } from '@truetally/contracts/facts';
import { type AssignmentResource, ASSIGNED } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import type { KafkaAskClient, Messaging } from '@truetally/messaging';
import { Pauses } from '@truetally/testing-product';
import type { RunningRow } from './experiment-database.js';
import { purchaseFact } from './purchase-fact.js';

const WORKERS = 8;
const SESSIONS_PER_WORKER = 12;
/** Of each worker between its questions. */
const PAUSE_MS = 2_000;
const RETRY_PAUSE_MS = 100;

/** Pages that continuously request arms, and a ledger that publishes orders: both continue after failures. */
export class ExperimentLoad {
  /** Every answer, by session. */
  readonly told = new Map<string, AssignmentResource[]>();
  /** Published orders, each at least once. */
  readonly orders = new Map<string, RecordedConversionFact>();
  answered = 0;
  private readonly pauses = new Pauses(PAUSE_MS);
  private isStopped = false;
  private readonly workers: Promise<void>[];

  constructor(
    private readonly messaging: Messaging,
    private readonly asker: KafkaAskClient,
    private readonly row: RunningRow,
  ) {
    const run = randomUUID();
    this.workers = Array.from({ length: WORKERS }, (_, worker) => this.work(`${run} ${worker}`));
  }

  /** Waits for so many more answers. */
  async more(count: number): Promise<void> {
    const wanted = this.answered + count;
    await this.pauses.until(() => this.answered >= wanted, { message: 'more answers' });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.pauses.stop();
    await Promise.all(this.workers);
  }

  private async work(name: string): Promise<void> {
    for (let session = 0; session < SESSIONS_PER_WORKER; session += 1) {
      await this.untilDone(() => this.publish(TOPICS.touchesRecorded.name, this.touch(`${name} ${session}`)));
    }
    for (let turn = 0; !this.isStopped; turn += 1) {
      const sessionId = `${name} ${turn % SESSIONS_PER_WORKER}`;
      const assignment = await this.assign(sessionId).catch(() => undefined);
      if (assignment !== undefined) {
        this.answered += 1;
        this.told.set(sessionId, [...(this.told.get(sessionId) ?? []), assignment]);
        await this.sell(sessionId, assignment);
      }
      await this.pauses.pause();
    }
  }

  private async assign(sessionId: string): Promise<AssignmentResource | undefined> {
    const { siteId } = this.row;
    const question = { site_id: siteId, session_id: sessionId, campaign_id: null, experiment_ids: null };
    const reply = await this.asker.ask({
      to: TOPICS.assignSession.name,
      key: `${siteId}:${sessionId}`,
      value: JSON.stringify({ ...question, touch_ids: [], device: 'mobile' }),
    });
    const assigned = 'ok' in reply ? ASSIGNED.read(reply.ok) : undefined;
    return assigned?.ok === true ? assigned.value.assignments[0] : undefined;
  }

  /** Some sessions place an order; the ledger publishes it at least once. */
  private async sell(sessionId: string, assignment: AssignmentResource): Promise<void> {
    if (Number(sessionId.split(' ').at(-1)) % 3 !== 0) return;
    const known = this.orders.get(sessionId);
    const order = known ?? this.purchase(sessionId, assignment);
    await this.untilDone(() => this.publish(TOPICS.conversionsRecorded.name, order));
    this.orders.set(sessionId, order);
  }

  private async untilDone(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch {
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  private publish(topic: string, value: object): Promise<void> {
    return this.messaging.publish([{ topic, key: this.row.siteId, value: JSON.stringify(value) }]);
  }

  private touch(sessionId: string): RecordedTouchFact {
    const now = new Date().toISOString();
    return {
      id: randomUUID(),
      site_id: this.row.siteId,
      touch_id: sessionId,
      provider: 'awin',
      direction: 'inbound',
      partner_id: null,
      landing_path: '/',
      occurred_at: now,
      provenance: 'browser_sdk',
      session_id: sessionId,
      recorded_at: now,
    };
  }

  private purchase(
    orderId: string,
    { assignment_id, assigned_at }: AssignmentResource,
  ): RecordedConversionFact {
    const cents = 1_000 + this.orders.size;
    return purchaseFact(this.row.siteId, { orderId, assignmentIds: [assignment_id], at: assigned_at, cents });
  }
}
