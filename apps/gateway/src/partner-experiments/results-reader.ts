import type { ExperimentResults } from '@truetally/contracts/experiments';
import { OPERATIONS } from '@truetally/contracts/topics';
import { parseOwnJson, UUID } from '@truetally/kernel';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { oneOfFilter } from '../http/page-query.js';
import { QueryReader } from '../http/query-reader.js';
import type { ResourceAsker } from '../http/resource-asker.js';
import { answer, answerCsv, refuse, refuseAs } from '../http/respond.js';
import type { LivingExperiments } from './living-experiments.js';
import { resultsCsv } from './results-csv.js';

const INTERVAL = oneOfFilter(['hour', 'day']);
export const SERIES_QUERY = { interval: INTERVAL };
const OK = 200;

type Params = Readonly<Record<string, string>>;

/** An experiment's measurements, for any member of its workspace (interface page, section 7). */
export class ResultsReader {
  constructor(
    private readonly asker: ResourceAsker,
    private readonly living: LivingExperiments,
  ) {}

  async results(exchange: Exchange, params: Params): Promise<void> {
    const data = await this.ask(exchange, OPERATIONS.reportResults, params);
    if (data !== undefined) answer(exchange, OK, data);
  }

  async csv(exchange: Exchange, params: Params): Promise<void> {
    const data = await this.ask(exchange, OPERATIONS.reportResults, params);
    if (data === undefined) return;
    answerCsv(exchange, resultsCsv(parseOwnJson(data.toString()) as ExperimentResults));
  }

  async series(exchange: Exchange, params: Params): Promise<void> {
    const data = await this.ask(exchange, OPERATIONS.reportSeries, params, ['interval']);
    if (data !== undefined) answer(exchange, OK, data);
  }

  /** @returns undefined when the request was refused and answered */
  private async ask(
    exchange: Exchange,
    topic: string,
    params: Params,
    known: readonly string[] = [],
  ): Promise<Buffer | undefined> {
    const { workspaceId } = exchange.anyCaller();
    const reader = new QueryReader(exchange.query);
    const given = known.map((name) => [name, reader.optional(name, INTERVAL)] as const);
    const filters = reader.result(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
    if (!filters.ok) return void refuse(exchange, 'broken-rules', filters.error);
    const { experiment_id = '' } = this.living.only(params);
    if (!UUID.test(experiment_id.toLowerCase())) return void refuse(exchange, 'not-found');
    const found = await this.asker.query(exchange, topic, {
      workspace_id: workspaceId,
      actor: null,
      params: { experiment_id: experiment_id.toLowerCase() },
      filters: filters.value as Readonly<Record<string, string>>,
      limit: 1,
      cursor: null,
    });
    if (found.ok) return found.value;
    refuseAs(exchange, refusalOf(found.error), found.error.details);
    return undefined;
  }
}
