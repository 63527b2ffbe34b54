import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Attribution, OrderEntry, OrderResource, SiteResource } from '@truetally/node';
import type { FormEvent } from 'react';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { Notice } from '../elements/problem.js';
import { Known, Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

export function OrdersScreen() {
  const { site } = useWorkspace();
  const { order } = useSearch({ from: '/w/$workspaceId/orders' });
  const navigate = useNavigate();
  const find = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = new FormData(event.currentTarget).get('order');
    const order = typeof wanted === 'string' ? wanted.trim() : '';
    void navigate({ to: '.', search: (search: object) => ({ ...search, order }) });
  };
  return (
    <Screen title="Orders">
      <form onSubmit={find} key={order} role="search">
        <Field label="Order id">
          <input name="order" defaultValue={order ?? ''} autoComplete="off" required />
        </Field>
        <button type="submit">Show the order</button>
      </form>
      {site !== undefined && order !== undefined && order !== '' && (
        <Statement key={order} site={site} orderId={order} />
      )}
    </Screen>
  );
}

function Statement({ site, orderId }: { readonly site: SiteResource; readonly orderId: string }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const order = useQuery({
    queryKey: ['w', workspace.id, 'orders', site.id, orderId],
    queryFn: ({ signal }) =>
      api<OrderResource>({
        path: `/partner-attribution/orders/${encodeURIComponent(orderId)}`,
        query: { website_id: site.id },
        workspaceId: workspace.id,
        signal,
      }),
  });
  return <Known query={order}>{(data) => <OrderStatement order={data} zone={site.timezone} />}</Known>;
}

function OrderStatement({ order, zone }: { readonly order: OrderResource; readonly zone: string }) {
  const { currency } = order;
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const entries: readonly Column<OrderEntry>[] = [
    { title: 'Place in the chain', isNumber: true, cell: ({ sequence }) => sequence },
    {
      title: 'What',
      cell: ({ event_type: type, reason }) => (reason === null ? type : `${type}: ${reason}`),
    },
    { title: `When (${zone})`, cell: ({ occurred_at: at }) => <Instant at={at} zone={zone} /> },
    { title: 'Revenue', isNumber: true, cell: ({ revenue_delta: delta }) => money(delta) },
    { title: 'Commissionable', isNumber: true, cell: ({ commissionable_delta: delta }) => money(delta) },
    {
      title: 'Margin',
      isNumber: true,
      cell: ({ margin_delta: delta }) => (delta === null ? 'not known' : money(delta)),
    },
    { title: 'Commission', isNumber: true, cell: ({ commission_delta: delta }) => money(delta) },
  ];
  const touches: readonly Column<Attribution>[] = [
    { title: 'Touch', cell: ({ touch_id: id }) => <code>{id}</code> },
    { title: 'Partner', cell: ({ touch_id: id }) => partnerOf(order, id) },
    { title: 'Outcome', cell: ({ outcome }) => outcome },
    { title: 'Because', cell: ({ reason }) => reason.replaceAll('_', ' ') },
    { title: 'Share', isNumber: true, cell: ({ share }) => money(share) },
  ];
  return (
    <section aria-label={`Order ${order.order_id}`}>
      <h2>
        Order {order.order_id} <span className={style['badge']}>{order.state}</span>
      </h2>
      <dl className={style['facts']}>
        <dt>Remaining revenue</dt>
        <dd>{money(order.remaining_revenue)}</dd>
        <dt>Remaining commissionable</dt>
        <dd>{money(order.remaining_commissionable)}</dd>
        <dt>Commission</dt>
        <dd>{money(order.commission)}</dd>
        <dt>Margin</dt>
        <dd>
          {order.remaining_margin === null ? 'not known' : money(order.remaining_margin)}
          {order.margin_basis !== null && ` (${order.margin_basis})`}
        </dd>
      </dl>
      <DataTable name="entries" items={order.entries} columns={entries} keyOf={({ record_id: id }) => id} />
      {order.next_cursor !== null && (
        <Notice>
          <p>The order has further entries; the sums above include them.</p>
        </Notice>
      )}
      <h2>Who earns the commission, and why</h2>
      {order.attribution.length === 0 ? (
        <p>No touch is tied to this order.</p>
      ) : (
        <DataTable
          name="touches"
          items={order.attribution}
          columns={touches}
          keyOf={({ touch_id: id }) => id}
        />
      )}
    </section>
  );
}

function partnerOf({ matched_touches: matched }: OrderResource, touchId: string): string {
  const touch = matched.find(({ touch_id: id }) => id === touchId);
  if (touch === undefined) return 'not known yet';
  return touch.partner_id === null ? touch.provider : `${touch.provider}, ${touch.partner_id}`;
}
