import { setImmediate as turn } from 'node:timers/promises';
import { DAY_MS } from '@truetally/kernel';
import type { ReceivedFact } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import {
  bodyOf,
  siteOfEvent,
  toldTrigger,
  type ToldTrigger,
  type TriggerFact,
} from '../domain/trigger-fact.js';
import { costOf, workspacesToPark } from '../domain/parked-share.js';
import type { CompiledWorkflow } from '../domain/workflow-index.js';
import { type MatchedDelivery, type NewDelivery, storeDeliveries } from '../storage/delivery-log.store.js';
import {
  type FactToPark,
  type ParkedFact,
  parkFacts,
  workspacesInLine,
} from '../storage/parked-fact.store.js';
import { DELIVERIES_KEPT_DAYS } from '../storage/queue.store.js';
import { RecentFacts } from './recent-facts.js';
import { UnreadEvents } from './unread-events.js';

/** Of one transaction: a fact may trigger every workflow of its site. */
const DELIVERIES_PER_TRANSACTION = 1_000;
/** Of the bodies in it, in characters: it is told to Postgres in one piece, beside all facts of the call. */
const LENGTH_PER_TRANSACTION = 4_194_304;
/** What is stored at once, as `costOf` has it: others wait for it. */
const COST_OF_A_CALL = 1_000;
/** Of what is matched while others wait. */
const LONGEST_TURN_MS = 10;
/** It may be read a while after it was published, and is matched by then. */
export const DELIVERIES_KEPT_MS = (DELIVERIES_KEPT_DAYS - 1) * DAY_MS;
/** What is published so much later than it came is published again: workflows may have been matched with it as they were then. */
const PUBLISHED_AGAIN_MS = 3_600_000;
/** Written by ingestion; what is in an event's texts is escaped there. */
const OF_SERVER = Buffer.from('"trust":"server"');

interface Parts {
  readonly pool: Pool;
  readonly directory: Pick<WorkflowDirectory, 'index' | 'whenChanged'>;
  readonly log: Logger;
  /** Called when there is something to send. */
  readonly onStored: () => void;
  /** Called when facts wait in line. */
  readonly onParked: () => void;
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
      const { index } = this.parts.directory;
      const matches = facts.flatMap(({ topic, value, timestampMs: publishedMs }): Match[] => {
        const told = value === null ? undefined : toldTrigger(topic, value);
        if (told === undefined) return [];
        return [{ told, publishedMs, workflows: index.triggeredBy(told.siteId, told.type) }];
      });
      await this.storeOrPark(matches);
      for (const { told } of matches) this.recent.add(told);
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
      await this.storeOrPark(facts.map((told) => ({ told, workflows: [sinceChange] })));
    }).catch((error: unknown) => {
      this.parts.log.error({ err: error, workflow_id: record.workflow_id }, LATE_WORKFLOW);
    });
  }

  /**
   * What a fact that waited in line is delivered to, by what its workflows say by now. Others' facts are matched in between: it may
   * have thousands of conditions.
   * @throws Error when this process does not know a workflow yet as the one that put the fact in line knew it
   */
  async matchParked({
    topic,
    value,
    workflowIds,
    versions,
    living,
  }: ParkedFact): Promise<readonly NewDelivery[]> {
    const fact = toldTrigger(topic, value)?.read();
    if (fact === undefined) return [];
    const triggered: CompiledWorkflow[] = [];
    let beganMs = performance.now();
    for (const [place, id] of workflowIds.entries()) {
      const workflow = this.parts.directory.index.compiled(id);
      const isKnown = workflow !== undefined && workflow.record.version >= (versions[place] ?? 0);
      if (!isKnown && living.includes(id))
        throw new Error('A workflow of a fact in line is not known here yet.');
      if (workflow?.record.event_types.includes(fact.type) === true && workflow.holds(fact.fields))
        triggered.push(workflow);
      if (performance.now() - beganMs < LONGEST_TURN_MS) continue;
      await turn();
      beganMs = performance.now();
    }
    return deliveriesTo(triggered, fact);
  }

  /** What is too much for one call waits in line of its workspace: others' webhooks do not wait for it. */
  private async storeOrPark(matches: readonly Match[]): Promise<void> {
    const costs = costsOf(matches);
    if (costs.size === 0) return;
    const waiting = await whileAvailable(() => workspacesInLine(this.parts.pool, [...costs.keys()]));
    const parked = workspacesToPark(costs, waiting, COST_OF_A_CALL);
    const isParked = (match: Match): boolean => parked.has(workspaceOf(match) ?? '');
    await this.store(matches.filter((match) => !isParked(match)));
    await this.park(matches.filter(isParked).flatMap(factToPark));
  }

  private async park(facts: readonly FactToPark[]): Promise<void> {
    if (facts.length === 0) return;
    await whileAvailable(() => parkFacts(this.parts.pool, facts));
    this.parts.onParked();
  }

  /** Deliveries are made as they are stored: those of a call, each with its body, would take hundreds of times its facts. */
  private async store(matches: readonly Match[]): Promise<void> {
    let part: MatchedDelivery[] = [];
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

  private async storePart(part: readonly MatchedDelivery[]): Promise<void> {
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
interface Match {
  readonly told: ToldTrigger;
  /** Undefined for one of a moment ago. */
  readonly publishedMs?: number;
  readonly workflows: readonly CompiledWorkflow[];
}

function workspaceOf({ workflows: [first] }: Match): string | undefined {
  return first?.record.workspace_id;
}

function costsOf(matches: readonly Match[]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const match of matches) {
    const workspaceId = workspaceOf(match);
    if (workspaceId === undefined) continue;
    costs.set(workspaceId, (costs.get(workspaceId) ?? 0) + costOf(match.told.length, match.workflows));
  }
  return costs;
}

/**
 * What a match is about; undefined for what triggers nothing, as an event of a browser, and for a fact that is published again when
 * its deliveries are forgotten: it was delivered then.
 */
function triggerIn({ told, publishedMs = 0 }: Match): TriggerFact | undefined {
  const fact = told.read();
  return fact !== undefined && publishedMs - fact.atMs > DELIVERIES_KEPT_MS ? undefined : fact;
}

/** Of workflows those that were there, and enabled, when it came. */
function factToPark(match: Match): readonly FactToPark[] {
  const { told, workflows } = match;
  const read = triggerIn(match);
  if (read === undefined) return [];
  const effective = workflows.filter((workflow) => isThereFor(workflow, match, read));
  const [first, ...others] = effective.map(({ record }) => record);
  if (first === undefined) return [];
  const { topic, value, length } = told;
  const cost = costOf(length, effective);
  return [{ topic, value, subject: read.subject, workflows: [first, ...others], cost }];
}

/** What no workflow is for is never read whole. None for a workflow of later, or one whose conditions are not met. */
function deliveriesOf(match: Match): readonly MatchedDelivery[] {
  const { workflows } = match;
  const fact = workflows.length === 0 ? undefined : triggerIn(match);
  if (fact === undefined) return [];
  return deliveriesTo(
    workflows.filter((workflow) => isThereFor(workflow, match, fact) && workflow.holds(fact.fields)),
    fact,
  );
}

/** Whether a workflow was there, and enabled, when a fact came; for one that is published again, as it is now. */
function isThereFor(
  { record, effectiveFromMs }: CompiledWorkflow,
  { publishedMs = 0 }: Match,
  { atMs }: TriggerFact,
): boolean {
  const isAgain = publishedMs - atMs > PUBLISHED_AGAIN_MS;
  return atMs >= (isAgain ? Date.parse(record.updated_at) : effectiveFromMs);
}

function deliveriesTo(triggered: readonly CompiledWorkflow[], fact: TriggerFact): readonly MatchedDelivery[] {
  if (triggered.length === 0) return [];
  const { key: factKey, subject, type: eventType, eventId, recordId, orderId } = fact;
  const delivery = { factKey, subject, eventType, eventId, recordId, orderId, body: bodyOf(fact) };
  return triggered.map(({ record }) => ({ workflow: record, ...delivery }));
}
