import {
  type AskEventDeliveries,
  type DeliveryResource,
  type EventDeliveries,
  MAX_REPLAYED_DELIVERIES,
  replayRangeIn,
} from '@truetally/contracts/outbound';
import type { Page, ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import type { Reply } from '@truetally/kernel';
import { type CommandContext, type Outcome, paramOf, type Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { knownWorkflow } from '../definitions/known-workflow.js';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { refusals } from '../domain/refusals.js';
import { sampleFact } from '../domain/sample-fact.js';
import { bodyOf } from '../domain/trigger-fact.js';
import {
  countReplayable,
  deliveriesOfEvents,
  findDelivery,
  insertTest,
  pageOfDeliveries,
  queueAgain,
  standingOf,
} from '../storage/delivery.store.js';
import { addQueues, lockQueues, refreshQueues } from '../storage/queue.store.js';

/** Counting stops here: what is above the limit is refused anyway. */
const COUNTED_AT_MOST = 5_000_000;

function versionIn(body: unknown): unknown {
  return isJsonObject(body) ? body['version'] : undefined;
}

/** What members ask of deliveries. Each request names the version of its workflow that management has. */
export class DeliveryHandlers {
  constructor(private readonly directory: WorkflowDirectory) {}

  readonly list = async (client: Queryable, query: ResourceQuery): Promise<Reply<Page<DeliveryResource>>> => {
    const known = await this.workflowOf(query);
    return known.ok ? pageOfDeliveries(client, query, known.value.workflow_id) : known.error;
  };

  readonly read = async (client: Queryable, query: ResourceQuery): Promise<Reply<DeliveryResource>> => {
    const known = await this.workflowOf(query);
    if (!known.ok) return known.error;
    const found = await findDelivery(client, known.value.workflow_id, paramOf(query.params, 'delivery_id'));
    return found === undefined ? refusals.noDelivery() : { ok: found };
  };

  /** Of a site that the asker may read. */
  readonly listOfEvents = async (
    client: Queryable,
    asked: AskEventDeliveries,
  ): Promise<Reply<EventDeliveries>> => ({
    ok: { deliveries: await deliveriesOfEvents(client, asked.site_id, asked.event_ids) },
  });

  /** How many deliveries a range would send again. */
  readonly planReplay = async (
    client: Queryable,
    query: ResourceQuery,
  ): Promise<Reply<{ readonly matched: number }>> => {
    const known = await this.workflowOf(query);
    if (!known.ok) return known.error;
    const { workflow_id: id, enabled } = known.value;
    if (!enabled) return refusals.workflowDisabled();
    const range = replayRangeIn(query.filters);
    if (range === undefined) return refusals.noDelivery();
    const matched = await countReplayable(client, id, range, COUNTED_AT_MOST);
    return matched > MAX_REPLAYED_DELIVERIES ? refusals.tooManyMatched(matched) : { ok: { matched } };
  };

  readonly replay = async (client: ClientBase, command: ResourceCommand): Promise<Outcome> => {
    const known = await this.workflowOf(command);
    if (!known.ok) return known.error;
    const { workflow_id: workflowId, enabled } = known.value;
    const deliveryId = paramOf(command.params, 'delivery_id');
    await lockQueues(client, [workflowId]);
    const standing = await standingOf(client, workflowId, deliveryId);
    if (standing === undefined) return refusals.noDelivery();
    if (!enabled) return refusals.workflowDisabled();
    if (standing.isUnderWay) return refusals.underWay();
    await queueAgain(client, [deliveryId]);
    await refreshQueues(client, [workflowId]);
    const delivery = await findDelivery(client, workflowId, deliveryId);
    if (delivery === undefined) return refusals.noDelivery();
    return { ok: delivery, audit: { action: 'replay', resource: 'delivery', resourceId: deliveryId } };
  };

  readonly test = async (
    client: ClientBase,
    command: ResourceCommand,
    { nowMs, newId }: CommandContext,
  ): Promise<Outcome> => {
    const known = await this.workflowOf(command);
    if (!known.ok) return known.error;
    const workflow = known.value;
    const wanted = isJsonObject(command.body) ? command.body['event_type'] : undefined;
    const type = typeof wanted === 'string' ? wanted : (workflow.event_types[0] ?? 'custom');
    const [id, conversionId, deliveryId] = [newId(), newId(), newId()];
    const fact = sampleFact({ siteId: workflow.site_id, type, id, conversionId, nowMs });
    const { workflow_id: workflowId } = workflow;
    await addQueues(client, [workflow]);
    const living = await lockQueues(client, [workflowId]);
    if (!living.has(workflowId)) return refusals.noWorkflow();
    await insertTest(client, { deliveryId, workflowId }, { fact, body: bodyOf(fact) });
    await refreshQueues(client, [workflowId]);
    const delivery = await findDelivery(client, workflowId, deliveryId);
    if (delivery === undefined) return refusals.noWorkflow();
    return { ok: delivery, audit: { action: 'test', resource: 'workflow', resourceId: workflowId } };
  };

  /** The gateway has asked management for the workflow, and says which version it has. */
  private workflowOf(asked: ResourceCommand | ResourceQuery) {
    const { workspace_id: workspaceId, params } = asked;
    const told = 'filters' in asked ? asked.filters['version'] : versionIn(asked.body);
    const version = Number(told ?? 0);
    return knownWorkflow(this.directory, { workspaceId, workflowId: paramOf(params, 'id'), version });
  }
}
