import type { DeliveryResource } from '@truetally/contracts/outbound';
import { connectionOf } from '@truetally/persistence';
import { type Installation, schemaOf } from '@truetally/testing-product';
import pg from 'pg';
import { type ShopClient } from './shop-client.js';
import { type WebhookReceiver } from './webhook-receiver.js';

/**
 * A workflow with a delivery that arrived and one that is dead. A delivery is tried for 24 hours, a promise that no setting
 * shortens; the demo ends the time of this one in the table, and the service finds at its next attempt that it is over.
 */
export async function tellCrm(
  shop: ShopClient,
  receiver: WebhookReceiver,
  installation: Installation,
): Promise<string> {
  const { id } = await shop.owner<{ readonly id: string }>('workflows', {
    site_id: shop.siteId,
    name: 'Tell the CRM of large orders',
    trigger: {
      event_types: ['purchase'],
      conditions: [{ field: 'properties.total', operator: 'gte', value: 100 }],
    },
    action: { type: 'webhook', url: receiver.url },
  });
  const deliveryWith = (what: string, isIt: (delivery: DeliveryResource) => boolean) =>
    shop.until(what, async () => {
      const path = `workflows/${id}/deliveries`;
      const { items } = await shop.owner<{ readonly items: readonly DeliveryResource[] }>(path);
      return items.find(isIt);
    });
  await order(shop, 'NY-CRM-1');
  const delivered = await deliveryWith('the delivery', ({ status }) => status === 'delivered');
  receiver.isAway = true;
  try {
    await order(shop, 'NY-CRM-2');
    const waiting = await deliveryWith('a failed attempt', ({ status, attempts }) => {
      return status === 'pending' && attempts.length > 0;
    });
    await endItsTime(installation, waiting.id);
    const dead = await deliveryWith('the delivery to be dead', ({ status }) => status === 'dead');
    return `a workflow with a delivery that arrived (${delivered.id}) and one that is dead (${dead.id}); its 24 hours were ended in Postgres, and its receiver answers again`;
  } finally {
    receiver.isAway = false;
  }
}

function order(shop: ShopClient, orderId: string): Promise<unknown> {
  return shop.backend('events/track', {
    event_type: 'purchase',
    session_id: orderId,
    client_event_id: orderId,
    properties: { order_id: orderId, total: 129.9, currency: 'USD' },
    context: { page_url: `${shop.place.origin}/thanks`, user_agent: 'backend' },
  });
}

async function endItsTime(installation: Installation, deliveryId: string): Promise<void> {
  const client = new pg.Client(connectionOf(installation.databaseUrl));
  await client.connect();
  try {
    const deliveries = `${pg.escapeIdentifier(schemaOf(installation, 'outbound'))}.deliveries`;
    await client.query(`update ${deliveries} set deadline_at = now() where delivery_id = $1`, [deliveryId]);
  } finally {
    await client.end();
  }
}
