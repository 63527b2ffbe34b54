import { type SiteResource } from '@truetally/contracts/management';
import { SCOPES } from '@truetally/contracts/credentials';
import { type Answer, eventually, request } from '@truetally/processes';
import { uniqueName } from '@truetally/testing';
import {
  type LaunchedProduct,
  untilKeyIsKnown,
  untilMemberIsKnown,
  untilSiteIsKnown,
} from '@truetally/testing-product';

/** A shop that uses every part of the product. */
export interface Shop {
  readonly workspaceId: string;
  readonly siteId: string;
  readonly apiKey: string;
  /** Headers of its owner at the dashboard. */
  readonly owner: Headers;
  /** Sessions whose touches are known, so that an experiment may assign them. */
  readonly sessions: readonly string[];
  /** A visitor of its page. */
  visitor(): Promise<Visitor>;
}

/** Its credential expires after minutes and is renewed before. */
export interface Visitor {
  headers(): Headers;
}

export type Headers = Readonly<Record<string, string>>;

const ORIGIN = 'https://shop.example';
const AMPLE = 100_000_000;
const MANY_CAMPAIGNS = 1_000_000;
const HOURLY_LIMIT = 1_000_000;
const TOUCHES_PER_REQUEST = 20;
/** Well before the token expires, also for a gateway whose clock is ahead. */
const RENEWED_AFTER_MS = 120_000;

/** Opens a shop with a running experiment that can assign so many sessions. Resolves when every gateway knows it. */
export async function openShop(product: LaunchedProduct, sessionCount: number): Promise<Shop> {
  const subject = uniqueName('owner');
  const { asks } = product;
  const workspace = await asks.createWorkspace({ name: 'Chaos', owner_sub: subject });
  const id = workspace.id;
  await asks.administerWorkspace({
    workspace_id: id,
    hourly_limit: HOURLY_LIMIT,
    quotas: { campaigns: MANY_CAMPAIGNS },
  });
  const site = await asks.createSite({
    workspace_id: id,
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: [ORIGIN],
    runtime_hourly_limit: AMPLE,
    publisher_mode: 'active',
  });
  const { key } = await asks.createApiKey({
    workspace_id: id,
    site_id: site.id,
    name: 'Backend',
    scopes: SCOPES,
    hourly_limit: AMPLE,
  });
  const token = await product.idToken({ sub: subject });
  for (const { baseUrl } of product.gateways) {
    await untilSiteIsKnown(baseUrl, site.id, ORIGIN);
    await untilKeyIsKnown(baseUrl, key);
    await untilMemberIsKnown(baseUrl, token, site.id);
  }
  const owner = { authorization: `Bearer ${token}` };
  const visitor = (): Promise<Visitor> => visitorOf(product, site);
  const opened = { workspaceId: id, siteId: site.id, apiKey: key, owner, visitor };
  await startExperiment(product.baseUrl, opened);
  return { ...opened, sessions: await eligibleSessions(product.baseUrl, opened, sessionCount) };
}

type OpenedShop = Omit<Shop, 'sessions'>;

async function visitorOf(product: LaunchedProduct, site: SiteResource): Promise<Visitor> {
  let newest = await pageHeaders(product, site);
  let issuedMs = performance.now();
  const renew = async (): Promise<void> => {
    issuedMs = performance.now();
    newest = await pageHeaders(product, site);
  };
  return {
    headers: () => {
      if (performance.now() - issuedMs > RENEWED_AFTER_MS) void renew().catch(() => undefined);
      return newest;
    },
  };
}

function pageHeaders({ gateways }: LaunchedProduct, site: SiteResource): Promise<Headers> {
  return eventually(async () => {
    for (const { baseUrl } of gateways) {
      const json = { site_id: site.id };
      const answer = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
        json,
        headers: { origin: ORIGIN },
      });
      if (answer.body.data !== undefined) {
        return { authorization: `Bearer ${answer.body.data.token}`, origin: ORIGIN };
      }
    }
    return undefined;
  });
}

async function startExperiment(baseUrl: string, { siteId, owner }: OpenedShop): Promise<void> {
  const campaign = await post<{ id: string }>(`${baseUrl}/campaigns`, owner, {
    site_id: siteId,
    type: 'overlay',
    status: 'active',
    name: 'Offer',
    content: { layout: 'corner', title: 'Offer' },
  });
  const draft = await post<{ id: string }>(`${baseUrl}/partner-experiments`, owner, {
    site_id: siteId,
    name: 'Offer',
    hypothesis: 'An offer sells.',
    surface: 'overlay',
    campaign_ids: [campaign.id],
    minimum_detectable_effect: 0.2,
    baseline_rate: 0.2,
  });
  await post(`${baseUrl}/partner-experiments/${draft.id}/start`, owner, {});
}

/** A touch of a partner for each session. When the last one can be assigned, so can the others. */
async function eligibleSessions(
  baseUrl: string,
  shop: OpenedShop,
  count: number,
): Promise<readonly string[]> {
  const visitor = await shop.visitor();
  const run = uniqueName('session');
  const sessions = Array.from({ length: count }, (_, index) => `${run}-${index}`);
  const now = new Date().toISOString();
  for (let from = 0; from < count; from += TOUCHES_PER_REQUEST) {
    const touches = sessions
      .slice(from, from + TOUCHES_PER_REQUEST)
      .map((session) => touchOf(session, session, now));
    await post(`${baseUrl}/partner-attribution/touches`, visitor.headers(), { touches });
  }
  await eventually(async () => {
    const json = { session_id: sessions.at(-1) };
    const url = `${baseUrl}/partner-experiments/assignments`;
    const { assignments } = await post<{ assignments: readonly unknown[] }>(url, visitor.headers(), json);
    return assignments.length > 0;
  });
  return sessions;
}

/** A visit through a partner; every repetition is the same request. */
export function touchOf(id: string, session: string, occurredAt: string): object {
  return {
    schema_version: 1,
    touch_id: `touch-${id}`,
    provider: 'awin',
    direction: 'inbound',
    provider_click_id: `awc-${id}`,
    partner_id: 'coffee-blog',
    landing_path: '/products/sku-1',
    occurred_at: occurredAt,
    provenance: 'browser_sdk',
    session_id: session,
  };
}

async function post<T>(url: string, headers: Headers, json: object): Promise<T> {
  const answer: Answer<T> = await request<T>(url, { headers, json });
  if (answer.body.data === undefined) throw new Error(`${url} answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}
