import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { CurrencyMeasures, PublisherReport, SiteResource } from '@truetally/node';
import { BarChart } from '../charts/bar-chart.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Money } from '../elements/money.js';
import { Notice } from '../elements/problem.js';
import { RangePicker } from '../layout/range-picker.js';
import { Known, Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { dayOf } from '../domain/site-days.js';

export function PublisherScreen() {
  const { site, workspace } = useWorkspace();
  return (
    <Screen title="Publisher">
      {workspace.role !== 'owner' ? (
        <Notice>
          <p>This report needs the role owner.</p>
        </Notice>
      ) : site === undefined ? (
        <Notice>
          <p>No site yet.</p>
        </Notice>
      ) : site.publisher_mode === 'off' ? (
        <Notice>
          <p>
            Publisher mode is off for {site.name}. Turn it on in the site’s settings to count clicks on
            partners’ links.
          </p>
        </Notice>
      ) : (
        <Report site={site} />
      )}
    </Screen>
  );
}

function Report({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const { from, to } = useSearch({ from: '/w/$workspaceId' });
  const report = useQuery({
    queryKey: ['w', workspace.id, 'publisher', site.id, from, to],
    queryFn: ({ signal }) =>
      api<PublisherReport>({
        path: '/analytics/publishers',
        query: { site_id: site.id, interval: 'day', from, to },
        workspaceId: workspace.id,
        signal,
      }),
  });
  return (
    <>
      <RangePicker />
      <Known query={report}>{(data) => <Figures report={data} />}</Known>
    </>
  );
}

const COLUMNS: readonly Column<CurrencyMeasures>[] = [
  { title: 'Currency', cell: ({ currency }) => currency },
  {
    title: 'Settled orders',
    isNumber: true,
    cell: ({ settled_orders: orders }) => orders.toLocaleString('en'),
  },
  {
    title: 'Commissionable revenue',
    isNumber: true,
    cell: ({ commissionable_revenue: amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  ...(['approved', 'pending', 'declined'] as const).map((kind) => ({
    title: `Commission ${kind}`,
    isNumber: true,
    cell: ({ commission, currency }: CurrencyMeasures) => (
      <Money amount={commission[kind]} currency={currency} />
    ),
  })),
];

function Figures({ report }: { readonly report: PublisherReport }) {
  const { timezone, series } = report;
  const bars = series.map(({ start, clicks }) => ({ label: dayOf(start, timezone), value: clicks }));
  const sum = bars.reduce((total, { value }) => total + value, 0);
  return (
    <>
      <p className={style['quiet']}>Days of {timezone}</p>
      <dl className={style['facts']}>
        <dt>Observed clicks</dt>
        <dd>
          {report.observed_clicks.toLocaleString('en')} (sum of the days: {sum.toLocaleString('en')})
        </dd>
        <dt>Settled orders</dt>
        <dd>{report.settled_orders.toLocaleString('en')}</dd>
      </dl>
      <BarChart name="Clicks per day." unit="clicks" bars={bars} />
      <DataTable
        name="currencies"
        items={report.currencies}
        columns={COLUMNS}
        keyOf={({ currency }) => currency}
      />
    </>
  );
}
