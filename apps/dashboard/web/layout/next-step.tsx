import { Link } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { type ReactNode, useState } from 'react';
import { curlOf } from '../domain/curl.js';
import { Copyable } from '../elements/copyable.js';
import { usePage } from '../session/page-context.js';
import { useWorkspace } from './workspace-context.js';

/** Leads to another screen of the site. */
export function ToScreen({
  to,
  children,
}: {
  readonly to: 'get-started' | 'sites' | 'api-keys' | 'integrations';
  readonly children: ReactNode;
}) {
  const { workspace, site } = useWorkspace();
  return (
    <Link
      to={`/w/$workspaceId/${to}`}
      params={{ workspaceId: workspace.id }}
      search={site === undefined ? {} : { site: site.id }}
    >
      {children}
    </Link>
  );
}

/** Where a screen without events leads who may go there: the way to the first one. */
export function ToFirstEvent() {
  const { mayWrite } = useWorkspace();
  if (!mayWrite) return null;
  return (
    <p>
      <ToScreen to="get-started">Get started</ToScreen> leads to the first event.
    </p>
  );
}

/** Whole, so that it is an amount of every currency. */
const EXAMPLE = { id: 'A-1001', sku: 'CUP-1', amount: '25' };

/** What a shop's backend sends for an order; the ledger and the revenue by orders begin with it. */
export function OrderCommand({ site }: { readonly site: SiteResource }) {
  const { apiBaseUrl } = usePage();
  const [now] = useState(() => new Date().toISOString());
  const { id, sku, amount } = EXAMPLE;
  const line = { line_id: '1', sku, quantity: 1, unit_price: amount, subtotal: amount };
  const conversion = {
    schema_version: 1,
    idempotency_key: id,
    website_id: site.id,
    order_id: id,
    occurred_at: now,
    currency: site.currency,
    revenue: amount,
    commissionable_subtotal: amount,
    tax: 0,
    shipping: 0,
    discount: 0,
    lines: [{ ...line, discount: 0, commissionable_amount: amount }],
    touch_ids: [],
  };
  const url = `${apiBaseUrl}/partner-attribution/conversions`;
  const body = { event_type: 'purchase', conversion };
  return (
    <>
      <p>
        Your backend sends an order with a key that may record orders, from{' '}
        <ToScreen to="api-keys">API keys</ToScreen>, in place of <code>$KEY</code>:
      </p>
      <Copyable name="the command" text={curlOf(url, '$KEY', body)} />
    </>
  );
}
