import { randomUUID } from 'node:crypto';
import type {
  ArmResults,
  AssignmentResource,
  ExperimentResource,
  ExperimentResults,
} from '@truetally/contracts/experiments';
import { type Answer, eventually, request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';
import { orderOf, returnOf, type SoldOrder, cancellationOf } from './experiment-orders.js';
import { table } from './table.js';
import { visitorHeaders } from './visitor.js';

const EXPERIMENTS = '/partner-experiments';
const NAME = 'Welcome offer for partner visitors';
const SESSIONS = 300;
const TOUCHES_PER_REQUEST = 20;
const REQUESTS_AT_ONCE = 20;

type Headers = Readonly<Record<string, string>>;

interface Demo {
  readonly baseUrl: string;
  readonly shop: DemoShop;
  readonly owner: Headers;
  readonly visitor: Headers;
}

/** An experiment on partner visitors: its campaigns, its sessions with their orders, and its results. */
export async function playPartnerExperiment(
  baseUrl: string,
  shop: DemoShop,
  ownerToken: string,
  say: (line: string) => void,
): Promise<void> {
  const owner = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': shop.workspaceId };
  const demo = { baseUrl, shop, owner, visitor: await visitorHeaders(baseUrl, shop) };
  say('\nA partner experiment:');
  const known = await runningExperiment(demo);
  const experiment = known ?? (await startExperiment(demo));
  if (known === undefined) {
    const orders = await playSessions(demo, experiment);
    say(`  ${SESSIONS} sessions from partners, ${orders} orders, some of them returned or cancelled.`);
  } else say('  It runs since an earlier start.');
  const results = await resultsWhen(demo, experiment, (now) => sessionsOf(now) >= SESSIONS);
  say(`\nWhat it measured, GET ${EXPERIMENTS}/${experiment.id}/results:\n${described(results)}`);
}

async function runningExperiment({ baseUrl, shop, owner }: Demo): Promise<ExperimentResource | undefined> {
  const query = `site_id=${shop.siteId}&state=running&limit=200`;
  const { body } = await request<{ items: ExperimentResource[] }>(`${baseUrl}${EXPERIMENTS}?${query}`, {
    headers: owner,
  });
  return body.data?.items.find(({ name }) => name === NAME);
}

async function startExperiment(demo: Demo): Promise<ExperimentResource> {
  const measured = await createCampaign(demo, 'Welcome offer');
  await createCampaign(demo, 'Newsletter');
  const draft = await post<ExperimentResource>(demo, EXPERIMENTS, demo.owner, {
    site_id: demo.shop.siteId,
    name: NAME,
    hypothesis: 'Visitors whom a partner sends buy more often when they are offered something at once.',
    surface: 'overlay',
    campaign_ids: [measured],
    minimum_detectable_effect: 0.2,
    baseline_rate: 0.2,
  });
  return post(demo, `${EXPERIMENTS}/${draft.id}/start`, demo.owner, {});
}

async function createCampaign(demo: Demo, name: string): Promise<string> {
  const content = { layout: 'corner', title: name };
  const body = { site_id: demo.shop.siteId, type: 'overlay', status: 'active', name, content };
  return (await post<{ id: string }>(demo, '/campaigns', demo.owner, body)).id;
}

/** @returns how many of the sessions ordered something */
async function playSessions(demo: Demo, experiment: ExperimentResource): Promise<number> {
  const run = randomUUID();
  const sessions = Array.from({ length: SESSIONS }, (_, index) => `demo-${run}-${index}`);
  const groups = Array.from({ length: SESSIONS / TOUCHES_PER_REQUEST }, (_, index) =>
    sessions.slice(index * TOUCHES_PER_REQUEST, (index + 1) * TOUCHES_PER_REQUEST),
  );
  for (const group of groups) {
    await post(demo, '/partner-attribution/touches', demo.visitor, { touches: group.map(touchOf) });
  }
  let orders = 0;
  for (let from = 0; from < SESSIONS; from += REQUESTS_AT_ONCE) {
    const some = sessions.slice(from, from + REQUESTS_AT_ONCE);
    const sold = await Promise.all(
      some.map((session, index) => playSession(demo, experiment, session, from + index)),
    );
    orders += sold.filter(Boolean).length;
  }
  return orders;
}

/** @returns whether it ordered */
async function playSession(
  demo: Demo,
  experiment: ExperimentResource,
  session: string,
  index: number,
): Promise<boolean> {
  const { assignment_id, variant } = await assignmentOf(demo, experiment, session);
  // One in five buys; with an offer, one in four.
  if (index % (variant === 'treatment' ? 4 : 5) !== 0) return false;
  const order: SoldOrder = {
    siteId: demo.shop.siteId,
    orderId: `order-${session}`,
    assignmentId: assignment_id,
    touchId: touchIdOf(session),
    price: 20 + (index % 7) * 5,
    soldAtMs: Date.now(),
  };
  const backend = { 'x-api-key': demo.shop.apiKey };
  const conversions = '/partner-attribution/conversions';
  await post(demo, conversions, backend, orderOf(order));
  if (index % 9 === 0) await post(demo, conversions, backend, returnOf(order));
  else if (index % 16 === 0) await post(demo, conversions, backend, cancellationOf(order));
  return true;
}

/** A recorded touch makes its session eligible a moment later. */
function assignmentOf(demo: Demo, { id }: ExperimentResource, session: string): Promise<AssignmentResource> {
  const body = { session_id: session, experiment_ids: [id] };
  return eventually(async () => {
    const path = `${EXPERIMENTS}/assignments`;
    const { assignments } = await post<{ assignments: AssignmentResource[] }>(demo, path, demo.visitor, body);
    return assignments[0];
  });
}

function touchOf(session: string): object {
  return {
    schema_version: 1,
    touch_id: touchIdOf(session),
    provider: 'awin',
    direction: 'inbound',
    provider_click_id: `awc-${session}`,
    partner_id: 'coffee-blog',
    landing_path: '/products/sku-1',
    occurred_at: new Date().toISOString(),
    provenance: 'browser_sdk',
    session_id: session,
  };
}

function touchIdOf(session: string): string {
  return `touch-${session}`;
}

function resultsWhen(
  { baseUrl, owner }: Demo,
  { id }: ExperimentResource,
  isReached: (results: ExperimentResults) => boolean,
): Promise<ExperimentResults> {
  return eventually(async () => {
    const answer = await request<ExperimentResults>(`${baseUrl}${EXPERIMENTS}/${id}/results`, {
      headers: owner,
    });
    const results = dataOf(answer);
    return isReached(results) ? results : undefined;
  });
}

function sessionsOf({ arms: { control, treatment } }: ExperimentResults): number {
  return control.eligible_sessions + treatment.eligible_sessions;
}

function described({ arms, effects, currency, sample_ratio, power }: ExperimentResults): string {
  const row = (arm: string, results: ArmResults) => ({
    arm,
    sessions: String(results.eligible_sessions),
    converted: String(results.converted_sessions),
    conversion: shown(results.conversion.value),
    revenue: shown(results.revenue_per_session.value),
    gross_profit: shown(results.gross_profit_per_session.value),
    contribution: shown(results.partner_contribution_per_session.value),
  });
  const difference = {
    arm: 'difference',
    sessions: '',
    converted: '',
    conversion: shown(effects.conversion.absolute),
    revenue: shown(effects.revenue_per_session.absolute),
    gross_profit: shown(effects.gross_profit_per_session.absolute),
    contribution: shown(effects.partner_contribution_per_session.absolute),
  };
  const columns = [
    'arm',
    'sessions',
    'converted',
    'conversion',
    'revenue',
    'gross_profit',
    'contribution',
  ] as const;
  const rows = [row('control', arms.control), row('treatment', arms.treatment), difference];
  const needed = `${power.required_sessions_per_arm ?? 'no'} sessions per arm are needed`;
  return `${table(columns, rows)}\n  per session, in ${currency}; sample ratio ${sample_ratio.state}; ${power.state}: ${needed}`;
}

const DECIMALS = 4;

function shown(value: number | null): string {
  return value === null ? '–' : value.toFixed(DECIMALS);
}

async function post<T>({ baseUrl }: Demo, path: string, headers: Headers, json: object): Promise<T> {
  return dataOf(await request<T>(`${baseUrl}${path}`, { headers, json }));
}

/** @throws Error with the answer, if it is a refusal */
function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The demo was answered ${status}: ${text}`);
  return body.data;
}
