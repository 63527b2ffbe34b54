import { useInfiniteQuery } from '@tanstack/react-query';
import type { Attribution, CommissionEntry, OrderEntry, OrderResource, SiteResource } from '@truetally/node';
import { runningSums } from '../domain/amounts.js';
import { wholeOrder } from '../domain/whole-order.js';
import { cursors } from '../api/pages.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { Known } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { OrderSeal, type WholeOrder } from './order-seal.js';

/** One order as a statement: what changed it, what remains, who earns, and whether it is what was sealed. */
export function OrderStatement({ site, orderId }: { readonly site: SiteResource; readonly orderId: string }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const order = useInfiniteQuery({
    queryKey: ['w', workspace.id, 'orders', site.id, orderId],
    queryFn: ({ signal, pageParam }) =>
      api<OrderResource>({
        path: `/partner-attribution/orders/${encodeURIComponent(orderId)}`,
        query: { website_id: site.id, cursor: pageParam },
        workspaceId: workspace.id,
        signal,
      }),
    initialPageParam: cursors.initialPageParam,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const more = order.hasNextPage ? () => void order.fetchNextPage() : undefined;
  /** What is verified is what is shown: the rest of a long order is loaded first. */
  const whole = async (): Promise<WholeOrder> => {
    let pages = order.data?.pages;
    let readAt = order.dataUpdatedAt;
    for (let hasMore = order.hasNextPage; hasMore;) {
      const result = await order.fetchNextPage({ cancelRefetch: false });
      if (result.error !== null) throw result.error;
      ({ hasNextPage: hasMore, dataUpdatedAt: readAt } = result);
      pages = result.data?.pages;
    }
    return { order: wholeOrder(pages ?? []), readAt };
  };
  return (
    <Known query={order}>
      {({ pages }) => {
        const data = wholeOrder(pages);
        return (
          data && (
            <section aria-label={`Order ${data.order_id}`}>
              <Statement order={data} zone={site.timezone} onMore={more} />
              <Shares order={data} />
              <OrderSeal whole={whole} shownAt={order.dataUpdatedAt} zone={site.timezone} />
            </section>
          )
        );
      }}
    </Known>
  );
}

function Statement({
  order,
  zone,
  onMore,
}: {
  readonly order: OrderResource;
  readonly zone: string;
  readonly onMore: (() => void) | undefined;
}) {
  const { currency, entries, commission_entries: later } = order;
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  return (
    <>
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
      <DataTable
        name="entries"
        items={entries}
        columns={entryColumns(order, zone)}
        keyOf={({ record_id: id }) => id}
        onMore={onMore}
      />
      {later.length > 0 && (
        <>
          <h2>Commission that changed later</h2>
          <p>A touch or a rule that arrived after the order changed its commission, and nothing else.</p>
          <DataTable
            name="commission entries"
            items={later}
            columns={commissionColumns(currency, zone)}
            keyOf={({ record_id: id }) => id}
          />
        </>
      )}
    </>
  );
}

function entryColumns({ entries, currency }: OrderResource, zone: string): readonly Column<OrderEntry>[] {
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const sums = runningSums(entries.map(({ revenue_delta: delta }) => delta));
  const remains = new Map(entries.map(({ record_id: id }, index) => [id, sums[index] ?? '0']));
  return [
    { title: 'Place in the chain', isNumber: true, cell: ({ sequence }) => sequence },
    {
      title: 'What',
      cell: ({ event_type: type, reason }) => (reason === null ? type : `${type}: ${reason}`),
    },
    { title: `When (${zone})`, cell: ({ occurred_at: at }) => <Instant at={at} zone={zone} /> },
    { title: 'Revenue', isNumber: true, cell: ({ revenue_delta: delta }) => money(delta) },
    {
      title: 'Remains',
      isNumber: true,
      cell: ({ record_id: id }) => money(remains.get(id) ?? '0'),
    },
    { title: 'Commissionable', isNumber: true, cell: ({ commissionable_delta: delta }) => money(delta) },
    {
      title: 'Margin',
      isNumber: true,
      cell: ({ margin_delta: delta }) => (delta === null ? 'not known' : money(delta)),
    },
    { title: 'Commission', isNumber: true, cell: ({ commission_delta: delta }) => money(delta) },
    { title: 'Model', cell: ({ attribution_model: model }) => model?.replaceAll('_', ' ') ?? 'none' },
  ];
}

function commissionColumns(currency: string, zone: string): readonly Column<CommissionEntry>[] {
  return [
    { title: 'Place in the chain', isNumber: true, cell: ({ sequence }) => sequence },
    { title: `Recorded (${zone})`, cell: ({ recorded_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Commission',
      isNumber: true,
      cell: ({ commission_delta: delta }) => <Money amount={delta} currency={currency} />,
    },
  ];
}

function Shares({ order }: { readonly order: OrderResource }) {
  const columns: readonly Column<Attribution>[] = [
    { title: 'Touch', cell: ({ touch_id: id }) => <code>{id}</code> },
    { title: 'Partner', cell: ({ touch_id: id }) => partnerOf(order, id) },
    { title: 'Outcome', cell: ({ outcome }) => outcome },
    { title: 'Because', cell: ({ reason }) => reason.replaceAll('_', ' ') },
    {
      title: 'Share',
      isNumber: true,
      cell: ({ share }) => <Money amount={share} currency={order.currency} />,
    },
  ];
  return (
    <>
      <h2>Who earns the commission, and why</h2>
      {order.attribution.length === 0 ? (
        <p>No touch is tied to this order.</p>
      ) : (
        <DataTable
          name="touches"
          items={order.attribution}
          columns={columns}
          keyOf={({ touch_id: id }) => id}
        />
      )}
    </>
  );
}

function partnerOf({ matched_touches: matched }: OrderResource, touchId: string): string {
  const touch = matched.find(({ touch_id: id }) => id === touchId);
  if (touch === undefined) return 'not known yet';
  return touch.partner_id === null ? touch.provider : `${touch.provider}, ${touch.partner_id}`;
}
