import { Link } from '@tanstack/react-router';
import type { RevenueItem, SiteResource } from '@truetally/node';
import { useMemo } from 'react';
import { type RevenuePart, REVENUE_PARTS } from '../domain/revenue-parts.js';
import type { Column } from '../elements/data-table.js';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { List } from '../layout/list.js';
import type { Days } from '../layout/use-days.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

/** The orders and events of one part. */
export function Items({
  site,
  days,
  part,
  currency,
}: {
  readonly site: SiteResource;
  readonly days: Days;
  readonly part: RevenuePart;
  readonly currency: string;
}) {
  const { workspace } = useWorkspace();
  const items = useList<RevenueItem>('/analytics/revenue/items', {
    site_id: site.id,
    ...days,
    part,
    currency,
  });
  const columns = useMemo(() => columnsFor(workspace.id, site, currency), [workspace.id, site, currency]);
  const title = `${REVENUE_PARTS[part].title}, ${currency}`;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <List
        list={items}
        name="of them"
        columns={columns}
        // An order that was adjusted twice has two records, a repeated event has none.
        keyOf={({ event_id: event, record_id: record }) => `${event} ${record}`}
        empty={<p>None of them in these days.</p>}
      />
    </section>
  );
}

function columnsFor(
  workspaceId: string,
  site: SiteResource,
  currency: string,
): readonly Column<RevenueItem>[] {
  return [
    {
      title: `When (${site.timezone})`,
      cell: ({ occurred_at: at }) => <Instant at={at} zone={site.timezone} />,
    },
    {
      title: 'Order',
      cell: ({ order_id: order, record_id: record }) => {
        if (order === null) return 'names none';
        if (record === null) return <code>{order}</code>;
        return (
          <Link to="/w/$workspaceId/orders" params={{ workspaceId }} search={{ site: site.id, order }}>
            {order}
          </Link>
        );
      },
    },
    { title: 'Event', cell: ({ event_id: id }) => (id === null ? 'none' : <code>{id}</code>) },
    { title: 'Record', cell: ({ record_id: id }) => (id === null ? 'none' : <code>{id}</code>) },
    { title: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
  ];
}
