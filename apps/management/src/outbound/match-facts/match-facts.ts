import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { bodyOf, siteOfEvent, type ToldTrigger, toldConversion, toldEvent } from '../domain/trigger-fact.js';
import type { CompiledWorkflow } from '../domain/workflow-index.js';
import { type NewDelivery, storeDeliveries } from '../storage/delivery-log.store.js';
import { RecentFacts } from './recent-facts.js';
import { UnreadEvents } from './unread-events.js';

/** Of one transaction: a fact may trigger every workflow of its site. */
const DELIVERIES_PER_TRANSACTION = 1_000;
/** Of the bodies in it, in characters: it is told to Postgres in one piece, beside all facts of the call. */
const LENGTH_PER_TRANSACTION = 4_194_304;
/** Written by ingestion; what is in an event's texts is escaped there. */
const OF_SERVER = Buffer.from('"trust":"server"');

interface Parts {
  readonly pool: Pool;
  readonly directory: Pick<WorkflowDirectory, 'index' | 'whenChanged'>;
  readonly log: Logger;
  /** Called when there is something to send. */
  readonly onStored: () => void;
}

/** Finds the workflows that a fact triggers, and stores a delivery for each. */
export class FactMatcher {
  private readonly recent = new RecentFacts(() => performance.now());
  private readonly unread = new UnreadEvents(() => performance.now());
  /** One thing at a time, so that deliveries of a subject are stored in their order. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: Parts) {
    parts.directory.whenChanged((workflow) => this.matchAgain(workflow));
  }

  /** @throws TransientError while Postgres is away: the facts are told again */
  take(facts: readonly ReceivedFact[]): Promise<void> {
    return this.inTurn(async () => {
      const triggers = facts.flatMap((fact) => this.read(fact));
      await this.store(
        triggers.map((told) => [told, this.parts.directory.index.triggeredBy(told.siteId, told.type)]),
      );
      for (const told of triggers) this.recent.add(told);
    });
  }

  /**
   * Whether nothing is to be done for a stored event, by its bytes: that of a browser has no external effects (interface page,
   * section 10), and that of a site without workflows is kept as it is, for one that becomes known just after it.
   */
  isPassed(written: Buffer): boolean {
    if (!written.includes(OF_SERVER)) return true;
    const siteId = siteOfEvent(written);
    if (siteId === undefined || this.parts.directory.index.hasHadSite(siteId)) return false;
    this.unread.add(written);
    return true;
  }

  /**
   * Facts of a while ago that a workflow, or a change of it, was too late for: those that came since, not those from before. Those
   * that it has are stored once. They are looked up in turn: what was being matched while the workflow became known is among them
   * only when that is done.
   */
  private matchAgain(workflow: CompiledWorkflow): void {
    const { record } = workflow;
    if (!record.enabled) return;
    this.inTurn(async () => {
      // Those that were not read came before the site's first workflow.
      const facts = [...this.unread.ofSite(record.site_id), ...this.recent.ofSite(record.site_id)].filter(
        ({ type }) => record.event_types.includes(type),
      );
      const sinceChange = { ...workflow, effectiveFromMs: Date.parse(record.updated_at) };
      await this.store(facts.map((told) => [told, [sinceChange]]));
    }).catch((error: unknown) => {
      this.parts.log.error({ err: error, workflow_id: record.workflow_id }, LATE_WORKFLOW);
    });
  }

  private read({ topic, value }: ReceivedFact): readonly ToldTrigger[] {
    if (value === null) return [];
    const told = topic === TOPICS.eventsStored.name ? toldEvent(value) : toldConversion(value);
    return told === undefined ? [] : [told];
  }

  /** Deliveries are made as they are stored: those of a call, each with its body, would take hundreds of times its facts. */
  private async store(matches: readonly Match[]): Promise<void> {
    let part: NewDelivery[] = [];
    let length = 0;
    for (const match of matches) {
      for (const delivery of deliveriesOf(match)) {
        // Deliveries of a fact come one after another, and have one body.
        if (part.at(-1)?.body !== delivery.body) length += delivery.body.length;
        part.push(delivery);
        if (part.length < DELIVERIES_PER_TRANSACTION && length < LENGTH_PER_TRANSACTION) continue;
        await this.storePart(part);
        part = [];
        length = 0;
      }
    }
    if (part.length > 0) await this.storePart(part);
  }

  private async storePart(part: readonly NewDelivery[]): Promise<void> {
    await whileAvailable(() => storeDeliveries(this.parts.pool, part));
    this.parts.onStored();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}

const LATE_WORKFLOW = 'Facts that came before a new workflow was known here could not be matched with it.';

/** A fact, and the workflows for its type. */
type Match = readonly [told: ToldTrigger, workflows: readonly CompiledWorkflow[]];

/** What no workflow is for is never read whole. None for a workflow of later, or one whose conditions are not met. */
function deliveriesOf([told, workflows]: Match): readonly NewDelivery[] {
  const fact = workflows.length === 0 ? undefined : told.read();
  if (fact === undefined) return [];
  const triggered = workflows.filter(
    ({ holds, effectiveFromMs }) => fact.atMs >= effectiveFromMs && holds(fact.fields),
  );
  if (triggered.length === 0) return [];
  const { key: factKey, subject, type: eventType, eventId, recordId, orderId } = fact;
  const delivery = { factKey, subject, eventType, eventId, recordId, orderId, body: bodyOf(fact) };
  return triggered.map(({ record }) => ({ workflow: record, ...delivery }));
}
