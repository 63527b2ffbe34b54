import { Injectable } from '@nestjs/common';
import type { WorkflowResource } from '@truetally/contracts/management';
import { momentOf } from '@truetally/contracts/outbound';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Calendar, formatInstant, parseInstant, UUID } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import { parameter } from '../http/query-reader.js';
import { refuse } from '../http/respond.js';

/** A date, or a date-time with an offset (interface page, section 9). */
export const momentParameter = parameter({ type: 'string' }, (value) =>
  momentOf(value) === undefined ? 'must be a date, or an ISO 8601 date and time with an offset' : undefined,
);

/** Finds the workflow in a path, and what dates mean at its site. Without a result the request was refused and answered. */
@Injectable()
export class WorkflowReader {
  constructor(private readonly asker: Asker) {}

  async find(exchange: Exchange, id: string): Promise<WorkflowResource | undefined> {
    const workflowId = id.toLowerCase();
    if (!UUID.test(workflowId)) return void refuse(exchange, 'not-found');
    return this.asker.find(exchange, OPERATIONS.readWorkflow, questionOf(exchange, { id: workflowId }));
  }

  /** The instants of moments, of which a date is the start of that day in the site's time zone. */
  async instantsOf(
    exchange: Exchange,
    siteId: string,
    moments: readonly string[],
  ): Promise<readonly string[] | undefined> {
    let zone = 'UTC';
    if (moments.some((moment) => parseInstant(moment) === undefined)) {
      const question = questionOf(exchange, { site_id: siteId });
      const site = await this.asker.find(exchange, OPERATIONS.readSite, question);
      if (site === undefined) return undefined;
      zone = site.timezone;
    }
    const calendar = new Calendar(zone);
    return moments.map((moment) => formatInstant(parseInstant(moment)?.epochMs ?? calendar.startOf(moment)));
  }
}

function questionOf(exchange: Exchange, params: Readonly<Record<string, string>>) {
  const { workspaceId } = exchange.anyCaller();
  return { workspace_id: workspaceId, actor: null, params, filters: {}, limit: 1, cursor: null };
}
