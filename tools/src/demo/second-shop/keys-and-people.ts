import type { ErasedProfile } from '@truetally/contracts/management';
import { type ShopClient } from './shop-client.js';

const DAY_S = 86_400;
const INVITED = 'ines@shop.example';

/** Keys that were rotated, are revoked, and end soon; and somebody who is invited. */
export async function makeKeysAndInvitation(shop: ShopClient): Promise<string> {
  const path = `sites/${shop.siteId}/api-keys`;
  const make = (name: string, more = {}): Promise<{ readonly id: string }> =>
    shop.owner(path, { name, scopes: ['analytics:read'], ...more });
  const rotated = await make('Reports, rotated');
  await shop.owner(`${path}/${rotated.id}/rotate`, { overlap_seconds: DAY_S });
  const revoked = await make('Former agency, revoked');
  await shop.owner(`${path}/${revoked.id}`, undefined, 'DELETE');
  await make('Audit, ends soon', { expires_at: new Date(Date.now() + 2 * DAY_S * 1000).toISOString() });
  const members = `workspaces/${shop.place.workspaceId}/members`;
  const { items } = await shop.owner<{ readonly items: readonly { readonly email: string | null }[] }>(
    members,
  );
  if (!items.some(({ email }) => email === INVITED)) {
    await shop.owner(members, { email: INVITED, role: 'analyst' });
  }
  return `keys that were rotated, revoked and end in two days; ${INVITED} is invited`;
}

/** What visitors sent with their consent, an import with a bad row, and a customer who is erased. */
export async function forgetCustomer(shop: ShopClient, origin: string): Promise<string> {
  const customer = 'customer-7';
  const profiles = [
    { user_id: customer, email: 'seven@shop.example', attributes: { size: 41 } },
    { user_id: 'customer-8', email: 'eight@shop.example', attributes: { city: 'New York' } },
    { user_id: 'customer-9', email: 'no address' },
  ];
  const imported = await shop.backend<{ readonly job_id: string }>('profiles/import', { profiles });
  const { stored, failed } = await shop.untilDone(imported.job_id);
  await shop.backend('events/track', {
    event_type: 'page_view',
    session_id: 'session-of-seven',
    user_id: customer,
    context: { page_url: `${origin}/`, user_agent: 'backend' },
  });
  const erased = await shop.owner<ErasedProfile>(
    `profiles/${customer}?site_id=${shop.siteId}`,
    undefined,
    'DELETE',
  );
  await shop.untilDone(erased.job_id);
  return `an import with ${stored} profiles and ${failed} bad row; ${customer} erased, its proof is ${erased.erasure_id}`;
}

export async function submit(shop: ShopClient, campaignId: string): Promise<string> {
  const fields = [
    { email: 'ada@shop.example', cup: 'espresso' },
    { email: 'max@shop.example', cup: 'bowl', comment: 'Is it <b>dishwasher</b> safe?' },
  ];
  for (const [place, sent] of fields.entries()) {
    await shop.page('submissions', {
      campaign_id: campaignId,
      session_id: `ny-0-${place}`,
      fields: sent,
      consent: { granted: true, text: 'Send me news about cups.' },
    });
  }
  return `${fields.length} submissions`;
}
