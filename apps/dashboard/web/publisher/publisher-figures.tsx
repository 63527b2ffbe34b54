import type {
  ContentMeasures,
  CurrencyMeasures,
  DestinationMeasures,
  PublisherReport,
  ReferenceCorrelation,
} from '@truetally/node';
import { BarChart } from '../charts/bar-chart.js';
import { sumAmounts } from '../domain/amounts.js';
import { publisherRows, type PublisherRow } from '../domain/publisher-rows.js';
import { addDays, dayOf } from '../domain/site-days.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Money } from '../elements/money.js';
import type { Days } from '../layout/use-days.js';

/** What partners' links brought: totals beside the sums of their intervals, per currency and never over two. */
export function PublisherFigures({
  report,
  days,
}: {
  readonly report: PublisherReport;
  readonly days: Days;
}) {
  const { timezone, series, currencies } = report;
  const bars = series.map(({ start, clicks }) => ({ label: dayOf(start, timezone), value: clicks }));
  const rows = publisherRows(currencies, series);
  const sumOf = (counts: readonly number[]): string =>
    counts.reduce((sum, one) => sum + one, 0).toLocaleString('en');
  return (
    <>
      <p className={style['quiet']}>
        Days of {timezone}, {days.from} to {addDays(days.to, -1)}. Clicks count when they happened,
        settlements by the time of their transaction.
      </p>
      <dl className={style['facts']}>
        <dt>Observed clicks</dt>
        <dd>
          {report.observed_clicks.toLocaleString('en')} (sum of the series:{' '}
          {sumOf(series.map(({ clicks }) => clicks))})
        </dd>
        <dt>Settled orders</dt>
        <dd>
          {report.settled_orders.toLocaleString('en')} (sum of the series:{' '}
          {sumOf(series.map(({ settled_orders: orders }) => orders))})
        </dd>
      </dl>
      {currencies.map((total) => (
        <Currency
          key={total.currency}
          total={total}
          clicks={report.observed_clicks}
          rows={rows.filter(({ currency }) => currency === total.currency)}
        />
      ))}
      <BarChart name="Clicks" one="click" bars={bars} />
      <details>
        <summary>The series, as the CSV has it</summary>
        <DataTable
          name="rows"
          items={rows}
          keyOf={({ start, currency }) => `${start} ${currency}`}
          columns={[
            { title: `Start (${timezone})`, cell: ({ start }) => dayOf(start, timezone) },
            { title: 'Clicks', isNumber: true, cell: ({ clicks }) => clicks.toLocaleString('en') },
            ...MEASURES,
            { title: 'Earnings per click', isNumber: true, cell: (row) => <PerClick measures={row} /> },
          ]}
        />
      </details>
      <h2>What they followed</h2>
      <DataTable
        name="contents"
        items={report.top_content}
        keyOf={({ content_id: id }) => id}
        columns={[{ title: 'Content', cell: ({ content_id: id }) => <code>{id}</code> }, ...TOP_COLUMNS]}
      />
      <DataTable
        name="destinations"
        items={report.top_destinations}
        keyOf={({ destination }) => destination}
        columns={[{ title: 'Destination', cell: ({ destination }) => destination }, ...TOP_COLUMNS]}
      />
      <Correlation found={report.reference_correlation} />
    </>
  );
}

const money = (read: (measures: CurrencyMeasures) => string) => (measures: CurrencyMeasures) => (
  <Money amount={read(measures)} currency={measures.currency} />
);

const KINDS = [
  { title: 'Commission approved', read: ({ commission }: CurrencyMeasures) => commission.approved },
  { title: 'Commission pending', read: ({ commission }: CurrencyMeasures) => commission.pending },
  { title: 'Commission declined', read: ({ commission }: CurrencyMeasures) => commission.declined },
  { title: 'Commission reversed', read: ({ reversals }: CurrencyMeasures) => reversals.amount },
  {
    title: 'Commissionable revenue',
    read: ({ commissionable_revenue: revenue }: CurrencyMeasures) => revenue,
  },
];

const MEASURES: readonly Column<CurrencyMeasures>[] = [
  {
    title: 'Settled orders',
    isNumber: true,
    cell: ({ settled_orders: orders, currency }) => `${orders.toLocaleString('en')} in ${currency}`,
  },
  ...KINDS.map(({ title, read }) => ({ title, isNumber: true, cell: money(read) })),
  { title: 'Reversals', isNumber: true, cell: ({ reversals: { count } }) => count.toLocaleString('en') },
];

/** The four kinds of commission apart, each with the sum of its intervals, and how earnings per click come about. */
function Currency({
  total,
  clicks,
  rows,
}: {
  readonly total: CurrencyMeasures;
  readonly clicks: number;
  readonly rows: readonly PublisherRow[];
}) {
  const { currency, commission } = total;
  return (
    <section aria-label={currency}>
      <h2>{currency}</h2>
      <DataTable
        name={`measures in ${currency}`}
        items={KINDS}
        keyOf={({ title }) => title}
        columns={[
          { title: 'Measure', cell: ({ title }) => title },
          {
            title: 'Total',
            isNumber: true,
            cell: ({ read }) => <Money amount={read(total)} currency={currency} />,
          },
          {
            title: 'Sum of the series',
            isNumber: true,
            cell: ({ read }) => <Money amount={sumAmounts(rows.map(read))} currency={currency} />,
          },
        ]}
      />
      <p>
        {total.settled_orders.toLocaleString('en')} settled orders (approved and pending),{' '}
        {total.reversals.count.toLocaleString('en')} reversed. Earnings per click: (approved{' '}
        <Money amount={commission.approved} currency={currency} /> + pending{' '}
        <Money amount={commission.pending} currency={currency} />) / {clicks.toLocaleString('en')} clicks, in
        whatever currency they earn = <PerClick measures={total} />
      </p>
    </section>
  );
}

function PerClick({
  measures: { currency, earnings_per_click: earned, reason },
}: {
  readonly measures: CurrencyMeasures;
}) {
  return earned === null ? (reason ?? 'nothing to divide by') : <Money amount={earned} currency={currency} />;
}

const TOP_COLUMNS: readonly Column<ContentMeasures | DestinationMeasures>[] = [
  { title: 'Clicks', isNumber: true, cell: ({ clicks }) => clicks.toLocaleString('en') },
  {
    title: 'Settled orders',
    isNumber: true,
    cell: ({ settled_orders: orders }) => orders.toLocaleString('en'),
  },
  {
    title: 'Commission',
    isNumber: true,
    cell: ({ commission }) =>
      commission.length === 0
        ? 'none'
        : commission.map(({ currency, amount }) => (
            <div key={currency}>
              <Money amount={amount} currency={currency} />
            </div>
          )),
  },
];

function Correlation({ found }: { readonly found: ReferenceCorrelation }) {
  const count = (value: number): string => value.toLocaleString('en');
  return (
    <>
      <h2>Do clicks and settlements find each other?</h2>
      <dl className={style['facts']}>
        <dt>Clicks with a reference</dt>
        <dd>
          {count(found.clicks_with_reference)}: {count(found.clicks_matched)} settled,{' '}
          {count(found.clicks_repeated)} repeated, {count(found.clicks_unmatched)} without a settlement
        </dd>
        <dt>Settlements with a reference</dt>
        <dd>
          {count(found.settlements_with_reference)}: {count(found.matched)} with their click,{' '}
          {count(found.unmatched_settlements)} without a click
        </dd>
        <dt>Variance</dt>
        <dd>
          {found.variance === null
            ? 'there was no settlement with a reference'
            : `${found.variance} = ${count(found.unmatched_settlements)} without a click / ${count(found.settlements_with_reference)}`}
        </dd>
      </dl>
    </>
  );
}
