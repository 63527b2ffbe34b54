import type {
  ProfileResource,
  SubmissionFieldNames,
  SubmissionResource,
} from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import { type Operation, OPERATIONS } from '@truetally/contracts/topics';
import { fail, type Failure, type Reply, type Result, succeed } from '@truetally/kernel';
import type { ResourceApi } from '../ask/resource.js';
import type { Exchange } from '../http/exchange.js';
import { type Filters, readPageQuery } from '../http/page-query.js';
import { refuse } from '../http/respond.js';
import type { CsvExporter, CsvRows } from './csv-export.js';
import { PROFILE_HEADER, profileRow } from './profile-table.js';
import { submissionHeader, submissionRow } from './submission-table.js';

type Place = Pick<ResourceQuery, 'cursor' | 'filters' | 'limit'>;

const ROWS_PER_PAGE = 200;
const MAX_FIELD_COLUMNS = 200;
/** Each 1,000 submissions: with the journeys there and back one or two seconds. */
const PIECES_NAMED = 100;

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
    let fields: readonly string[] = [];
    const rowOf = (submission: SubmissionResource): string => submissionRow(submission, fields);
    await this.exporter.send(exchange, {
      filename: 'submissions.csv',
      header: async () => {
        const named = await this.fields(exchange, filters);
        if (!named.ok) return named;
        fields = named.value;
        return succeed(submissionHeader(fields));
      },
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
      header: () => Promise.resolve(succeed(PROFILE_HEADER)),
      rows: (cursor) => this.rows(exchange, OPERATIONS.listProfiles, { filters, cursor }, rowOf),
    });
  }

  /** The names of fields that get a column, those of the newest submissions: others are in the last column of their row. */
  private async fields(
    exchange: Exchange,
    filters: ResourceQuery['filters'],
  ): Promise<Result<readonly string[], Failure>> {
    const names = new Set<string>();
    let cursor: string | null = null;
    for (let piece = 0; piece < PIECES_NAMED; piece += 1) {
      const page: Place = { filters, cursor, limit: ROWS_PER_PAGE };
      const named: Reply<SubmissionFieldNames> = await this.api.query(
        exchange,
        OPERATIONS.listSubmissionFields,
        page,
      );
      if ('error' in named) return fail(named.error);
      for (const name of named.ok.fields) names.add(name);
      cursor = named.ok.next_cursor;
      if (cursor === null || names.size >= MAX_FIELD_COLUMNS || exchange.outgoing.destroyed) break;
    }
    return succeed([...names].slice(0, MAX_FIELD_COLUMNS).toSorted());
  }

  private async rows<Item extends object>(
    exchange: Exchange,
    to: Operation<ResourceQuery, Page<Item>>,
    place: Omit<Place, 'limit'>,
    rowOf: (item: Item) => string,
  ): Promise<Result<CsvRows, Failure>> {
    const found = await this.api.query(exchange, to, { ...place, limit: ROWS_PER_PAGE });
    if ('error' in found) return fail(found.error);
    const { items, next_cursor: nextCursor } = found.ok;
    return succeed({ text: items.map(rowOf).join(''), nextCursor });
  }
}
