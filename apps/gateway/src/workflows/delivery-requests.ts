import { Injectable } from '@nestjs/common';
import type { WorkflowResource } from '@truetally/contracts/management';
import { type ReplayRange, readReplay, readTest } from '@truetally/contracts/outbound';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import { ResourceApi } from '../ask/resource.js';
import type { Exchange } from '../http/exchange.js';
import { textFilter, oneOfFilter, readPageQuery } from '../http/page-query.js';
import { refuse } from '../http/respond.js';
import { momentParameter, WorkflowReader } from './workflow-reader.js';

/** Filters of `GET /workflows/{id}/deliveries`. */
export const DELIVERY_QUERY = {
  status: oneOfFilter(['pending', 'delivered', 'dead']),
  event_id: textFilter,
  record_id: textFilter,
  order_id: textFilter,
  from: momentParameter,
  to: momentParameter,
} as const;

const EMPTY_WINDOW = { to: ['must be later than from'] };

/**
 * Requests about deliveries (interface page, section 10). Management says whether the workflow exists, and in which version; the
 * program that has the deliveries answers when it knows that version.
 */
@Injectable()
export class DeliveryRequests {
  constructor(
    private readonly workflows: WorkflowReader,
    private readonly asker: Asker,
    private readonly api: ResourceApi,
  ) {}

  async list(exchange: Exchange, id: string): Promise<void> {
    const page = readPageQuery(exchange.query, DELIVERY_QUERY);
    if (!page.ok) return refuse(exchange, 'broken-rules', page.error);
    const workflow = await this.workflows.find(exchange, id);
    if (workflow === undefined) return;
    const { from, to, ...others } = page.value.filters;
    const window = Object.entries({ from, to }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const moments = window.map(([, moment]) => moment);
    const instants = await this.workflows.instantsOf(exchange, workflow.site_id, moments);
    if (instants === undefined) return;
    const [first, second] = instants;
    if (first !== undefined && second !== undefined && first >= second)
      return refuse(exchange, 'broken-rules', EMPTY_WINDOW);
    const named = Object.fromEntries(window.map(([name], index) => [name, instants[index] ?? '']));
    const { limit, cursor } = page.value;
    const asked = { filters: { ...others, ...named }, limit, cursor };
    return this.asker.answer(exchange, OPERATIONS.listDeliveries, questionOf(exchange, workflow, asked));
  }

  async read(exchange: Exchange, id: string, deliveryId: string): Promise<void> {
    const workflow = await this.findBoth(exchange, id, deliveryId);
    if (workflow === undefined) return;
    const params = { delivery_id: deliveryId.toLowerCase() };
    return this.asker.answer(exchange, OPERATIONS.readDelivery, questionOf(exchange, workflow, { params }));
  }

  async replay(exchange: Exchange, id: string, deliveryId: string): Promise<void> {
    const workflow = await this.findBoth(exchange, id, deliveryId);
    if (workflow === undefined) return;
    return this.api.act(exchange, {
      to: OPERATIONS.replayDelivery,
      params: { id, delivery_id: deliveryId },
      prepare: () => ({ body: { version: workflow.version }, fingerprinted: {} }),
    });
  }

  async test(exchange: Exchange, id: string): Promise<void> {
    const workflow = await this.workflows.find(exchange, id);
    if (workflow === undefined) return;
    return this.api.create(exchange, {
      to: OPERATIONS.testWorkflow,
      params: { id },
      prepare: (body) => {
        const read = readTest(body);
        if (read.ok)
          return { body: { version: workflow.version, event_type: read.value }, fingerprinted: body ?? {} };
        refuse(exchange, 'broken-rules', read.error);
        return { refused: true };
      },
    });
  }

  /** The deliveries are counted first: more than a replay may send are refused, with their number. */
  async replayRange(exchange: Exchange, id: string): Promise<void> {
    const caller = exchange.anyCaller();
    const given = readReplay(exchange.takeBody());
    if (!given.ok) return refuse(exchange, 'broken-rules', given.error);
    const workflow = await this.workflows.find(exchange, id);
    if (workflow === undefined) return;
    const { from, to, statuses } = given.value;
    const instants = await this.workflows.instantsOf(exchange, workflow.site_id, [from, to]);
    if (instants === undefined) return;
    const [first = '', second = ''] = instants;
    if (first >= second) return refuse(exchange, 'broken-rules', EMPTY_WINDOW);
    const range: ReplayRange = { from: first, to: second, statuses };
    const filters = { from: range.from, to: range.to, statuses: statuses.join(',') };
    const question = questionOf(exchange, workflow, { filters });
    const planned = await this.asker.find(exchange, OPERATIONS.planReplay, question);
    if (planned === undefined) return;
    const { matched } = planned;
    const target = { to: OPERATIONS.beginWorkflowReplay, params: { id } };
    const fingerprinted = JSON.stringify(given.value);
    await this.api.acceptReceived(exchange, target, { caller, body: { ...range, matched }, fingerprinted });
  }

  private async findBoth(
    exchange: Exchange,
    id: string,
    deliveryId: string,
  ): Promise<WorkflowResource | undefined> {
    if (UUID.test(deliveryId.toLowerCase())) return this.workflows.find(exchange, id);
    return void refuse(exchange, 'not-found');
  }
}

/** The program that has the deliveries answers when it knows the workflow in this version. */
function questionOf(
  exchange: Exchange,
  { id, version }: WorkflowResource,
  { params = {}, filters = {}, limit = 1, cursor = null }: Asked,
): ResourceQuery {
  return {
    workspace_id: exchange.anyCaller().workspaceId,
    actor: null,
    params: { id, ...params },
    filters: { ...filters, version: String(version) },
    limit,
    cursor,
  };
}

interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly filters?: Readonly<Record<string, string>>;
  readonly limit?: number;
  readonly cursor?: string | null;
}
