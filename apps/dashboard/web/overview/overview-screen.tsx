import { useSearch } from '@tanstack/react-router';
import type { Overview, RevenueAmount, SiteResource, Timeseries } from '@truetally/node';
import type { ReactNode } from 'react';
import { LineChart } from '../charts/line-chart.js';
import { subtractAmounts } from '../domain/amounts.js';
import { changeOf } from '../domain/changes.js';
import { counted } from '../domain/counted.js';
import { dayOf } from '../domain/site-days.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Money } from '../elements/money.js';
import { Notice } from '../elements/problem.js';
import { Options } from '../elements/options.js';
import { Covered, DaysOf } from '../layout/covered.js';
import { Filters } from '../layout/filters.js';
import { ToScreen } from '../layout/next-step.js';
import { RangePicker } from '../layout/range-picker.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { type Days, useDays } from '../layout/use-days.js';
import { useRead } from '../layout/use-read.js';

export function OverviewScreen() {
  return <SiteScreen title="Overview">{(site) => <Report site={site} />}</SiteScreen>;
}

function Report({ site }: { readonly site: SiteResource }) {
  const { days, before } = useDays();
  const now = useRead<Overview>('/analytics/overview', { site_id: site.id, ...days });
  const earlier = useRead<Overview>('/analytics/overview', { site_id: site.id, ...before });
  return (
    <>
      <RangePicker />
      <Known query={now}>
        {(overview) => (
          <>
            <Covered days={days} answer={overview} />
            {overview.events === 0 && overview.authoritative_revenue.length === 0 && <Nothing />}
            <Known query={earlier}>
              {(former) => <Totals now={overview} before={former} beforeDays={before} />}
            </Known>
          </>
        )}
      </Known>
      <Series site={site} days={days} before={before} />
    </>
  );
}

function Nothing() {
  return (
    <Notice>
      <p>
        Nothing came in these days. The line for the shop’s pages stands under{' '}
        <ToScreen to="sites">Sites</ToScreen>, keys under <ToScreen to="api-keys">API keys</ToScreen>.
      </p>
    </Notice>
  );
}

interface Measure {
  readonly title: string;
  readonly now: ReactNode;
  readonly before: ReactNode;
  readonly change: ReactNode;
}

function Totals({
  now,
  before,
  beforeDays,
}: {
  readonly now: Overview;
  readonly before: Overview;
  readonly beforeDays: Days;
}) {
  const columns: readonly Column<Measure>[] = [
    { title: 'What', cell: ({ title }) => title },
    { title: 'These days', isNumber: true, cell: ({ now: value }) => value },
    { title: 'Before', isNumber: true, cell: ({ before: value }) => value },
    { title: 'Change', isNumber: true, cell: ({ change }) => change },
  ];
  const types = Object.keys({ ...now.by_type, ...before.by_type }).toSorted();
  const sum = Object.values(now.by_type).reduce((total, count) => total + count, 0);
  return (
    <>
      <p className={style['quiet']}>
        “Before” is as many days before them: <DaysOf {...beforeDays} />.
      </p>
      <DataTable
        name="totals"
        columns={columns}
        keyOf={({ title }) => title}
        items={[
          countOf('Events', now.events, before.events),
          countOf('Sessions', now.sessions, before.sessions),
          ...amountsOf('Revenue by events', now.observed_revenue, before.observed_revenue),
          ...amountsOf('Revenue by orders', now.authoritative_revenue, before.authoritative_revenue),
        ]}
      />
      {types.length > 0 && (
        <>
          <h2>Events by type</h2>
          <DataTable
            name="types"
            columns={columns}
            keyOf={({ title }) => title}
            items={types.map((type) =>
              countOf(type.replaceAll('_', ' '), now.by_type[type] ?? 0, before.by_type[type] ?? 0),
            )}
          />
          <p>Sum of the types in these days: {counted(sum, 'event')}.</p>
        </>
      )}
    </>
  );
}

function countOf(title: string, now: number, before: number): Measure {
  return {
    title,
    now: now.toLocaleString('en'),
    before: before.toLocaleString('en'),
    change: changeOf(now, before),
  };
}

/** One for each currency: they are never added. */
function amountsOf(
  title: string,
  now: readonly RevenueAmount[],
  before: readonly RevenueAmount[],
): readonly Measure[] {
  const currencies = [...new Set([...now, ...before].map(({ currency }) => currency))].toSorted();
  const find = (amounts: readonly RevenueAmount[], wanted: string): string | undefined =>
    amounts.find(({ currency }) => currency === wanted)?.amount;
  return currencies.map((currency) => {
    const [present, former] = [find(now, currency), find(before, currency)];
    const money = (amount: string | undefined): ReactNode =>
      amount === undefined ? 'none' : <Money amount={amount} currency={currency} />;
    const change = subtractAmounts(present ?? '0', former ?? '0');
    return {
      title: `${title}, ${currency}`,
      now: money(present),
      before: money(former),
      change: /^0(\.0+)?$/.test(change) ? (
        'no change'
      ) : (
        <Money amount={withSign(change)} currency={currency} />
      ),
    };
  });
}

function withSign(amount: string): string {
  return amount.startsWith('-') ? amount : `+${amount}`;
}

const MEASURES = { events: 'Events', sessions: 'Sessions' } as const;

function Series({
  site,
  days,
  before,
}: {
  readonly site: SiteResource;
  readonly days: Days;
  readonly before: Days;
}) {
  const { measure = 'events' } = useSearch({ from: '/w/$workspaceId/overview' });
  const query = { site_id: site.id, interval: 'day' };
  const now = useRead<Timeseries>('/analytics/timeseries', { ...query, ...days });
  const earlier = useRead<Timeseries>('/analytics/timeseries', { ...query, ...before });
  return (
    <section aria-label="Day by day">
      <h2>Day by day</h2>
      <Filters values={{ measure }}>
        <Field label="Count">
          <select name="measure" defaultValue={measure}>
            <Options of={MEASURES} />
          </select>
        </Field>
      </Filters>
      <Known query={now}>
        {({ series, timezone }) => {
          const values = series.map((point) => point[measure]);
          const former = earlier.data?.series.map((point) => point[measure]);
          return (
            <LineChart
              name={`${MEASURES[measure]} per day.`}
              main={sentenceOf(measure, values)}
              pointTitle={`Day (${timezone})`}
              points={series.map(({ start }) => ({ key: start, label: dayOf(start, timezone) }))}
              lines={[
                { title: 'These days', values },
                ...(former === undefined
                  ? []
                  : [
                      {
                        title: 'As many days before',
                        values: values.map((_, index) => former[index] ?? null),
                      },
                    ]),
              ]}
            />
          );
        }}
      </Known>
    </section>
  );
}

/** Sessions of days do not add up: one may last over midnight. */
function sentenceOf(measure: keyof typeof MEASURES, values: readonly number[]): string {
  const highest = Math.max(0, ...values);
  if (measure === 'sessions') return `At most ${counted(highest, 'session')} on a day.`;
  const sum = values.reduce((total, value) => total + value, 0);
  return `${counted(sum, 'event')} in all, at most ${highest.toLocaleString('en')} on a day.`;
}
