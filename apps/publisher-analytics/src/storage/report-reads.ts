import { inSnapshot } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { Day } from '@truetally/kernel';
import type { ItemKind } from '../domain/names.js';
import type { ItemSum, TotalSum } from '../domain/present-report.js';
import { type Level, NO_CURRENCY, TOTAL_MEASURES, type TotalMeasure } from '../domain/report-changes.js';
import { type Piece, piecesOf, type ReportWindow } from '../domain/report-window.js';

/** Rows that one turn of the process reads: thirteen thousand at once keep everybody waiting for 100 ms. */
const ROWS_PER_TURN = 500;
/** Items of a top list. */
const MOST_ITEMS = 20;

/**
 * Each piece is read separately as a range of the key. For Postgres, all pieces together look like most of a
 * site, and for three years it would read the whole table, of every site.
 */
const PIECES = 'unnest($2::text[], $3::date[], $4::date[]) as piece (level, first, behind)';
const IN_PIECE = 'site_id = $1 and level = piece.level and start >= piece.first and start < piece.behind';
const TOTALS = `
  select t.start::text as start, t.currency, ${TOTAL_MEASURES.map((measure) => `nullif(t.${measure}, 0)::text as ${measure}`).join(', ')}
  from ${PIECES} cross join lateral (select * from report_totals where ${IN_PIECE} offset 0) as t limit $5`;
/**
 * Most clicks first, then most orders; ties by the code points of their names, so that the order is stable.
 */
const TOP_ITEMS = `
  select item_id, name, clicks::text, orders::text
  from (
    select item_id, sum(part.clicks) as clicks, sum(part.orders) as orders
    from ${PIECES} cross join lateral (
      select item_id, sum(clicks) as clicks, sum(orders) as orders from report_items
      where kind = $5 and ${IN_PIECE} group by item_id) as part
    group by item_id) as sums
  join report_names using (item_id)
  where clicks <> 0 or orders <> 0
  order by sums.clicks desc, sums.orders desc, name collate "C" limit ${MOST_ITEMS}`;
const COMMISSIONS = `
  select item_id, currency, sum(part.commission)::text as amount
  from ${PIECES} cross join lateral (
    select item_id, currency, sum(commission) as commission, sum(orders) as orders from report_items
    where kind = $5 and ${IN_PIECE} and item_id = any($6) and currency <> '${NO_CURRENCY}'
    group by item_id, currency) as part
  group by item_id, currency having sum(part.orders) <> 0 order by currency collate "C"`;

/** Most measures of most rows are 0: as nulls they cost neither a text nor its number. */
type TotalRow = Readonly<Record<TotalMeasure, string | null>> & {
  readonly start: Day;
  readonly currency: string;
};

/** Reads the stored sums of reports: a few rows whatever the window. */
export class ReportReads {
  constructor(private readonly pool: Pool) {}

  /** Everything that `work` reads is of one instant, also while sums change or move to another time zone. */
  atOnce<T>(work: (reads: SnapshotReads) => Promise<T>): Promise<T> {
    return inSnapshot(this.pool, (client) => work(new SnapshotReads(client)));
  }
}

/** The reads of one snapshot; those that are begun together travel together. */
export class SnapshotReads {
  constructor(private readonly client: ClientBase) {}

  /** The time zone of a site's sums; undefined before its first fact. */
  async timeZoneOf(siteId: string): Promise<string | undefined> {
    const { rows } = await this.client.query<{ timezone: string }>(
      'select timezone from site_calendars where site_id = $1',
      [siteId],
    );
    return rows[0]?.timezone;
  }

  /**
   * @param finest granularity of the series: days (also for weeks) or months
   * @returns undefined when there are more than `most`, of which no more are read
   */
  async totals(
    siteId: string,
    window: ReportWindow,
    { finest, most }: { readonly finest: 'day' | 'month'; readonly most: number },
  ): Promise<readonly TotalSum[] | undefined> {
    const pieces = valuesOf(piecesOf(window, finest));
    const fetch = () => this.client.query<TotalRow>(`fetch ${ROWS_PER_TURN} from totals`);
    // The cursor is closed with the transaction.
    let [, fetched] = await Promise.all([
      this.client.query(`declare totals no scroll cursor for ${TOTALS}`, [siteId, ...pieces, most + 1]),
      fetch(),
    ]);
    const totals: TotalSum[] = [];
    for (let isMore = true; isMore;) {
      const { rows } = fetched;
      isMore = rows.length === ROWS_PER_TURN;
      // Postgres reads the next ones meanwhile.
      const next = isMore ? fetch() : undefined;
      for (const row of rows)
        totals.push({ start: row.start, currency: row.currency, measures: measuresOf(row) });
      if (next !== undefined) fetched = await next;
    }
    return totals.length > most ? undefined : totals;
  }

  async topItems(siteId: string, window: ReportWindow, kind: ItemKind): Promise<readonly ItemSum[]> {
    const values = [siteId, ...valuesOf(piecesOf(window, 'year')), kind];
    const { rows } = await this.client.query<{
      item_id: string;
      name: string;
      clicks: string;
      orders: string;
    }>(TOP_ITEMS, values);
    if (rows.length === 0) return [];
    const commissions = await this.client.query<{ item_id: string; currency: string; amount: string }>(
      COMMISSIONS,
      [...values, rows.map((row) => row.item_id)],
    );
    return rows.map(({ item_id, name, clicks, orders }) => ({
      name,
      clicks: BigInt(clicks),
      orders: BigInt(orders),
      commission: commissions.rows
        .filter((row) => row.item_id === item_id)
        .map(({ currency, amount }) => ({ currency, amount: BigInt(amount) })),
    }));
  }
}

const NOTHING = Object.fromEntries(TOTAL_MEASURES.map((name) => [name, 0n])) as Record<TotalMeasure, bigint>;

function measuresOf(row: TotalRow): Readonly<Record<TotalMeasure, bigint>> {
  const measures = { ...NOTHING };
  for (const name of TOTAL_MEASURES) if (row[name] !== null) measures[name] = BigInt(row[name]);
  return measures;
}

function valuesOf(pieces: readonly Piece[]): readonly [readonly Level[], readonly Day[], readonly Day[]] {
  return [pieces.map(({ level }) => level), pieces.map(({ from }) => from), pieces.map(({ to }) => to)];
}
