import { randomUUID } from 'node:crypto';
import type { ErasedProfile } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import type { Merchant } from './merchant.js';

/** Routes without an audit entry, each with the reason. */
export const UNAUDITED: Readonly<Record<string, string>> = {
  'POST /api/v1/events/track': 'a fact of a visitor, kept itself',
  'POST /api/v1/events/batch': 'facts of visitors, kept themselves',
  'POST /api/v1/runtime/tokens': 'a page is given a token; nothing is kept',
  'POST /api/v1/submissions': 'facts of visitors, kept themselves',
  'POST /api/v1/partner-attribution/touches': 'facts of visitors, kept themselves',
  'POST /api/v1/partner-attribution/conversions': 'facts of the shop, in a ledger that is never changed',
  'POST /api/v1/partner-experiments/assignments': 'a session gets its arm, which is kept and never changes',
  'POST /api/admin/dead-letters/:id/replay': 'of no workspace; the letter itself says what became of it',
  'POST /api/admin/set-aside-facts/:service/:id/replay':
    'of no workspace; the fact itself says what became of it',
  'POST /api/admin/set-aside-facts/:service/:id/discard':
    'of no workspace; the fact itself says what became of it',
  'POST /api/admin/dead-letters/:id/discard': 'of no workspace; the letter itself says what became of it',
};

/** The entry that a change must leave. */
interface Left {
  readonly resource: string;
  readonly action: string;
  readonly id: string;
  readonly actor?: string;
}

/** Imports a profile with a new key of the site. */
export async function importProfile(product: Product, owner: Merchant, siteId: string): Promise<Left> {
  const made = await owner.post<{ key: string; prefix: string }>(`sites/${siteId}/api-keys`, {
    name: 'CRM',
    scopes: ['profiles:import'],
  });
  const { key = '', prefix = '' } = made.body.data ?? {};
  const json = { profiles: [{ user_id: 'u' }] };
  const headers = { 'x-api-key': key };
  await eventually(
    async () => (await request(`${product.baseUrl}/profiles/import`, { json, headers })).status === 202,
  );
  return { resource: 'profiles', action: 'import', id: siteId, actor: `key:${prefix}` };
}

/** Begins a verification of a site's ledger. */
export async function verifyLedger(owner: Merchant, siteId: string): Promise<Left> {
  await owner.post('partner-attribution/chain/verifications', { website_id: siteId });
  return { resource: 'ledger', action: 'verify', id: siteId };
}

/** Erases a person of whom nothing is known. */
export async function eraseSomebody(owner: Merchant, siteId: string): Promise<Left> {
  const answer = await owner.delete<ErasedProfile>(`profiles/${randomUUID()}?site_id=${siteId}`);
  return { resource: 'profile', action: 'erase', id: String(answer.body.data?.erasure_id) };
}
