import { Link, useSearch } from '@tanstack/react-router';
import type { CurrencyRevenue, DifferencePart, RevenueReport, SiteResource } from '@truetally/node';
import { sumAmounts } from '../domain/amounts.js';
import { counted } from '../domain/counted.js';
import { REVENUE_PARTS } from '../domain/revenue-parts.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Money } from '../elements/money.js';
import { Notice } from '../elements/problem.js';
import { Covered } from '../layout/covered.js';
import { OrderCommand } from '../layout/next-step.js';
import { RangePicker } from '../layout/range-picker.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useDays } from '../layout/use-days.js';
import { useRead } from '../layout/use-read.js';
import { Items } from './revenue-items.js';

export function RevenueScreen() {
  return <SiteScreen title="Revenue compared">{(site) => <Report site={site} />}</SiteScreen>;
}

function Report({ site }: { readonly site: SiteResource }) {
  const { days } = useDays();
  const { part, currency } = useSearch({ from: '/w/$workspaceId/revenue' });
  const report = useRead<RevenueReport>('/analytics/revenue', { site_id: site.id, ...days });
  return (
    <>
      <RangePicker />
      <Known query={report}>
        {(answer) => (
          <>
            <Covered days={days} answer={answer} />
            {answer.currencies.length === 0 && (
              <Notice>
                <p>Neither a purchase event nor an order in these days.</p>
                <OrderCommand site={site} />
              </Notice>
            )}
            {answer.currencies.map((one) => (
              <Compared key={one.currency} revenue={one} />
            ))}
          </>
        )}
      </Known>
      {part !== undefined && currency !== undefined && (
        <Items key={`${part} ${currency}`} site={site} days={days} part={part} currency={currency} />
      )}
    </>
  );
}

function Compared({ revenue }: { readonly revenue: CurrencyRevenue }) {
  const { currency, observed, authoritative, difference, parts } = revenue;
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const columns: readonly Column<DifferencePart>[] = [
    {
      title: 'Part of the difference',
      cell: ({ part }) => (
        <>
          {REVENUE_PARTS[part].title}
          <br />
          <span className={style['quiet']}>{REVENUE_PARTS[part].meaning}</span>
        </>
      ),
    },
    { title: 'How many', isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
    { title: 'Amount', isNumber: true, cell: ({ amount }) => money(amount) },
    {
      title: 'Which',
      cell: ({ part, count }) =>
        count > 0 && (
          <Link
            to="."
            search={(search: object) => ({ ...search, part, currency })}
            aria-label={`Show them: ${REVENUE_PARTS[part].title} in ${currency}`}
          >
            Show them
          </Link>
        ),
    },
  ];
  return (
    <section aria-label={`Revenue in ${currency}`}>
      <h2>{currency}</h2>
      <dl className={style['facts']}>
        <dt>By purchase events</dt>
        <dd>
          {money(observed.amount)} in {counted(observed.events, 'event')}
          <br />
          <span className={style['quiet']}>
            browser: {money(observed.by_trust.browser.amount)} in{' '}
            {observed.by_trust.browser.events.toLocaleString('en')}, backend:{' '}
            {money(observed.by_trust.server.amount)} in {observed.by_trust.server.events.toLocaleString('en')}
          </span>
        </dd>
        <dt>By recorded orders</dt>
        <dd>
          {money(authoritative.amount)} in {counted(authoritative.orders, 'order')}
        </dd>
        <dt>Difference</dt>
        <dd>
          {money(difference)} (orders less events; sum of the parts:{' '}
          {money(sumAmounts(parts.map(({ amount }) => amount)))})
        </dd>
      </dl>
      <DataTable name={`parts in ${currency}`} items={parts} columns={columns} keyOf={({ part }) => part} />
    </section>
  );
}
