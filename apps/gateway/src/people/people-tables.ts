import type { ProfileResource, SubmissionResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import { type Operation, OPERATIONS } from '@truetally/contracts/topics';
import { fail, type Failure, type Result, succeed } from '@truetally/kernel';
import type { ResourceApi } from '../ask/resource.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { type Filters, readPageQuery } from '../http/page-query.js';
import { refuse, refuseAs } from '../http/respond.js';
import type { CsvExporter, CsvRows } from './csv-export.js';
import { PROFILE_HEADER, profileRow } from './profile-table.js';
import { submissionHeader, submissionRow } from './submission-table.js';

const ROWS_PER_PAGE = 200;

/** Submissions and profiles of a site as CSV files, newest first. */
export class PeopleTables {
  constructor(
    private readonly api: ResourceApi,
    private readonly exporter: CsvExporter,
  ) {}

  async submissions(exchange: Exchange, known: Filters): Promise<void> {
    const asked = readPageQuery(exchange.query, known);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const { filters } = asked.value;
    const page = { filters, cursor: null, limit: 1 };
    const named = await this.api.query(exchange, OPERATIONS.listSubmissionFields, page);
    if ('error' in named) return refuseAs(exchange, refusalOf(named.error), named.error.details);
    const { fields } = named.ok;
    const rowOf = (submission: SubmissionResource): string => submissionRow(submission, fields);
    await this.exporter.send(exchange, {
      filename: 'submissions.csv',
      header: submissionHeader(fields),
      rows: (cursor) => this.rows(exchange, OPERATIONS.listSubmissions, { filters, cursor }, rowOf),
    });
  }

  async profiles(exchange: Exchange, known: Filters): Promise<void> {
    const asked = readPageQuery(exchange.query, known);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const { filters } = asked.value;
    const rowOf = (profile: ProfileResource): string => profileRow(profile);
    await this.exporter.send(exchange, {
      filename: 'profiles.csv',
      header: PROFILE_HEADER,
      rows: (cursor) => this.rows(exchange, OPERATIONS.listProfiles, { filters, cursor }, rowOf),
    });
  }

  private async rows<Item extends object>(
    exchange: Exchange,
    to: Operation<ResourceQuery, Page<Item>>,
    place: Pick<ResourceQuery, 'cursor' | 'filters'>,
    rowOf: (item: Item) => string,
  ): Promise<Result<CsvRows, Failure>> {
    const found = await this.api.query(exchange, to, { ...place, limit: ROWS_PER_PAGE });
    if ('error' in found) return fail(found.error);
    const { items, next_cursor: nextCursor } = found.ok;
    return succeed({ text: items.map(rowOf).join(''), nextCursor });
  }
}
