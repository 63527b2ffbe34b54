import { Injectable } from '@nestjs/common';
import type { UnseenSessions } from '@truetally/contracts/experiments';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import { type Filters, oneOfFilter, readPageQuery } from '../http/page-query.js';
import { answer, answerCsv, refuse } from '../http/respond.js';
import { LivingExperiments } from './living-experiments.js';
import { unseenSessions } from './unseen-sessions.js';
import { resultsCsv } from './results-csv.js';

const OK = 200;
const SEEN_TIMEOUT_MS = 2_000;
const INTERVAL = oneOfFilter(['hour', 'day']);
export const SERIES_QUERY = { interval: INTERVAL };

type Params = Readonly<Record<string, string>>;

/** An experiment's measurements, for any member of its workspace (interface page, section 7). */
@Injectable()
export class ResultsReader {
  constructor(
    private readonly asker: Asker,
    private readonly living: LivingExperiments,
  ) {}

  async results(exchange: Exchange, params: Params): Promise<void> {
    const query = this.queryOf(exchange, params);
    const measured = query && (await this.asker.find(exchange, OPERATIONS.reportResults, query));
    if (measured === undefined) return;
    const { results, session_sample } = measured;
    const unseen_sessions = await this.unseenOf(exchange, results.experiment.site_id, session_sample);
    answer(exchange, OK, JSON.stringify({ ...results, unseen_sessions }));
  }

  /** Without an answer of analytics the results are as good as before: only this is not known. */
  private async unseenOf(
    exchange: Exchange,
    site_id: string,
    session_ids: readonly string[],
  ): Promise<UnseenSessions> {
    if (session_ids.length === 0) return unseenSessions(0, 0);
    const options = { answerTimeoutMs: SEEN_TIMEOUT_MS };
    const question = { site_id, session_ids };
    const seen = await this.asker.ask(exchange, OPERATIONS.readSeenSessions, question, options);
    return unseenSessions(session_ids.length, 'ok' in seen ? seen.ok.sessions : undefined);
  }

  async csv(exchange: Exchange, params: Params): Promise<void> {
    const query = this.queryOf(exchange, params);
    if (query === undefined) return;
    const results = await this.asker.find(exchange, OPERATIONS.reportResults, query);
    if (results !== undefined) answerCsv(exchange, resultsCsv(results.results));
  }

  async series(exchange: Exchange, params: Params): Promise<void> {
    const query = this.queryOf(exchange, params, SERIES_QUERY);
    if (query !== undefined) await this.asker.answer(exchange, OPERATIONS.reportSeries, query);
  }

  /** @returns undefined when the request was refused and answered */
  private queryOf(exchange: Exchange, params: Params, known: Filters = {}): ResourceQuery | undefined {
    const page = readPageQuery(exchange.query, known);
    if (!page.ok) return void refuse(exchange, 'broken-rules', page.error);
    const { experiment_id = '' } = this.living.only(params);
    const id = experiment_id.toLowerCase();
    if (!UUID.test(id)) return void refuse(exchange, 'not-found');
    const { workspaceId: workspace_id } = exchange.anyCaller();
    return { workspace_id, actor: null, params: { experiment_id: id }, ...page.value };
  }
}
