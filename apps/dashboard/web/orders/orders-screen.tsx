import { Link, useSearch } from '@tanstack/react-router';
import type { ListedOrder, SiteResource } from '@truetally/node';
import { useMemo } from 'react';
import { ORDER_STATES } from '../domain/order-search.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { OrderCommand } from '../layout/next-step.js';
import { RangePicker } from '../layout/range-picker.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useDays } from '../layout/use-days.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { OrderStatement } from './order-statement.js';

export function OrdersScreen() {
  const { order } = useSearch({ from: '/w/$workspaceId/orders' });
  return (
    <SiteScreen title="Orders" part={order === undefined ? undefined : `Order ${order}`}>
      {(site) =>
        order === undefined ? <Orders site={site} /> : <OneOrder key={order} site={site} orderId={order} />
      }
    </SiteScreen>
  );
}

function OneOrder({ site, orderId }: { readonly site: SiteResource; readonly orderId: string }) {
  const { workspace } = useWorkspace();
  return (
    <>
      <p>
        <Link
          to="/w/$workspaceId/orders"
          params={{ workspaceId: workspace.id }}
          search={(search: object) => ({ ...search, order: undefined })}
        >
          All orders
        </Link>
      </p>
      <OrderStatement site={site} orderId={orderId} />
    </>
  );
}

const TEXTS = {
  order_id_prefix: 'Order id begins with',
  touch_id: 'Touch id',
  provider: 'Provider',
  partner_id: 'Partner of the provider',
} as const;

function Orders({ site }: { readonly site: SiteResource }) {
  const { days } = useDays();
  const { workspace } = useWorkspace();
  const search = useSearch({ from: '/w/$workspaceId/orders' });
  const filters = {
    state: search.state,
    currency: search.currency,
    order_id_prefix: search.order_id_prefix,
    touch_id: search.touch_id,
    provider: search.provider,
    partner_id: search.partner_id,
  };
  const orders = useList<ListedOrder>('/partner-attribution/orders', {
    website_id: site.id,
    ...days,
    ...filters,
  });
  const columns = useMemo(() => columnsFor(site, workspace.id), [site, workspace.id]);
  return (
    <>
      <RangePicker />
      <Filters values={filters}>
        <Field label="State">
          <select name="state" defaultValue={filters.state ?? ''}>
            <Options of={ORDER_STATES} none="all" />
          </select>
        </Field>
        <Field label="Currency">
          <input
            name="currency"
            defaultValue={filters.currency ?? ''}
            autoComplete="off"
            pattern="[A-Z]{3}"
            title="Three capital letters: EUR"
          />
        </Field>
        {Object.entries(TEXTS).map(([name, label]) => (
          <Field key={name} label={label}>
            <input
              name={name}
              defaultValue={filters[name as keyof typeof TEXTS] ?? ''}
              autoComplete="off"
              maxLength={128}
            />
          </Field>
        ))}
      </Filters>
      <List
        list={orders}
        name="orders"
        columns={columns}
        keyOf={({ conversion_id: id }) => id}
        empty={
          <>
            <p>No order of these days fits.</p>
            {Object.values(filters).every((value) => value === undefined) && <OrderCommand site={site} />}
          </>
        }
      />
    </>
  );
}

function columnsFor(site: SiteResource, workspaceId: string): readonly Column<ListedOrder>[] {
  const { timezone: zone } = site;
  return [
    { title: `Bought (${zone})`, cell: ({ occurred_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Order',
      cell: ({ order_id: order, state }) => (
        <>
          <Link
            to="/w/$workspaceId/orders"
            params={{ workspaceId }}
            search={(search: object) => ({ ...search, site: site.id, order })}
          >
            {order}
          </Link>{' '}
          <span className={style['badge']}>{state}</span>
        </>
      ),
    },
    {
      title: 'Revenue',
      isNumber: true,
      cell: ({ revenue, currency }) => <Money amount={revenue} currency={currency} />,
    },
    {
      title: 'Remaining',
      isNumber: true,
      cell: ({ remaining_revenue: rest, currency }) => <Money amount={rest} currency={currency} />,
    },
    {
      title: 'Commission',
      isNumber: true,
      cell: ({ commission, currency }) => <Money amount={commission} currency={currency} />,
    },
    {
      title: 'Partners',
      cell: ({ partners, currency }) =>
        partners.length === 0
          ? 'none'
          : partners.map(({ provider, partner_id: partner, share }) => (
              <div key={`${provider} ${partner}`}>
                {partner === null ? provider : `${provider}, ${partner}`}:{' '}
                <Money amount={share} currency={currency} />
              </div>
            )),
    },
    {
      title: `Changed (${zone})`,
      cell: ({ changed_at: at, entry_count: count }) => (
        <>
          <Instant at={at} zone={zone} />, {count} {count === 1 ? 'entry' : 'entries'}
        </>
      ),
    },
  ];
}
