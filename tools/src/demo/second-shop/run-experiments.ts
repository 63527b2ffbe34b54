import { createHash } from 'node:crypto';
import type {
  AssignmentResource,
  ExperimentResource,
  ExperimentResults,
} from '@truetally/contracts/experiments';
import { connectionOf } from '@truetally/persistence';
import { type Installation, schemaOf } from '@truetally/testing-product';
import pg from 'pg';
import { cancellationOf, orderOf, returnOf } from '../experiment-orders.js';
import { touchOf } from './invented-history.js';
import { inTurns, pieces, type ShopClient } from './shop-client.js';

const EXPERIMENTS = 'partner-experiments';
const SESSIONS = 160;
const TOUCHES_PER_REQUEST = 20;
const REQUESTS_AT_ONCE = 8;
const BUCKET_BYTES = 6;
const BUCKETS = 2 ** 48;

/** One that is drafted, one that runs, and one that was stopped because its arms cannot be trusted. */
export async function runExperiments(
  shop: ShopClient,
  installation: Installation,
): Promise<{ readonly said: string; readonly campaignId: string }> {
  const campaign = (name: string) => campaignOf(shop, name);
  const [offer, shipping, quiz] = [
    await campaign('Welcome offer'),
    await campaign('Free shipping'),
    await campaign('Which cup are you?'),
  ];
  await draft(shop, 'Do visitors of partners buy more with an offer?', offer);
  const running = await draft(shop, 'Free shipping for visitors of partners', shipping);
  await start(shop, running);
  await play(shop, running, sessionsOf('runs', SESSIONS));
  const broken = await draft(shop, 'A quiz for visitors of partners', quiz);
  await start(shop, broken);
  // The page of this experiment loses three in five visitors of the control arm before it asks.
  const salt = await saltOf(installation, broken.id);
  const kept = sessionsOf('quiz', 2 * SESSIONS).filter((session, place) => {
    return placeOf(salt, session) >= 0.5 || place % 5 < 2;
  });
  await play(shop, broken, kept);
  const results = await shop.until('the results of all sessions', async () => {
    const found = await shop.owner<ExperimentResults>(`${EXPERIMENTS}/${broken.id}/results`);
    return (
      found.arms.control.eligible_sessions + found.arms.treatment.eligible_sessions === kept.length && found
    );
  });
  await shop.owner(`${EXPERIMENTS}/${broken.id}/stop`, {});
  const said = `experiments: one drafted, one that runs, and one that was stopped with sample ratio ${results.sample_ratio.state}`;
  return { said, campaignId: offer };
}

async function campaignOf(shop: ShopClient, title: string): Promise<string> {
  const json = {
    site_id: shop.siteId,
    type: 'overlay',
    status: 'active',
    name: title,
    content: { layout: 'corner', title, body: 'For you, because a partner sent you.' },
  };
  return (await shop.owner<{ readonly id: string }>('campaigns', json)).id;
}

function draft(shop: ShopClient, name: string, campaignId: string): Promise<ExperimentResource> {
  return shop.owner(EXPERIMENTS, {
    site_id: shop.siteId,
    name,
    hypothesis: 'Visitors whom a partner sends buy more often when something is offered at once.',
    surface: 'overlay',
    campaign_ids: [campaignId],
    minimum_detectable_effect: 0.2,
    baseline_rate: 0.2,
  });
}

function start(shop: ShopClient, { id }: ExperimentResource): Promise<unknown> {
  return shop.owner(`${EXPERIMENTS}/${id}/start`, {});
}

function sessionsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `ny-${name}-${place}`);
}

async function play(
  shop: ShopClient,
  { id }: ExperimentResource,
  sessions: readonly string[],
): Promise<void> {
  const now = Date.now();
  await inTurns(pieces(sessions, TOUCHES_PER_REQUEST), REQUESTS_AT_ONCE, (some) => {
    const touches = some.map((session) => touchOf(`touch-${session}`, session, 'coffee-blog', now));
    return shop.page('partner-attribution/touches', { touches });
  });
  await inTurns([...sessions.entries()], REQUESTS_AT_ONCE, ([place, session]) =>
    playSession(shop, id, session, place),
  );
}

async function playSession(shop: ShopClient, id: string, session: string, place: number): Promise<void> {
  const body = { session_id: session, experiment_ids: [id] };
  // A recorded touch makes its session eligible a moment later.
  const { assignment_id: assignmentId, variant } = await shop.until('the assignment', async () => {
    const path = `${EXPERIMENTS}/assignments`;
    return (await shop.page<{ readonly assignments: readonly AssignmentResource[] }>(path, body))
      .assignments[0];
  });
  if (place % (variant === 'treatment' ? 4 : 5) !== 0) return;
  const order = {
    siteId: shop.siteId,
    orderId: `order-${session}`,
    assignmentId,
    touchId: `touch-${session}`,
    price: 20 + (place % 7) * 5,
    soldAtMs: Date.now(),
    currency: 'USD',
  };
  const path = 'partner-attribution/conversions';
  await shop.backend(path, orderOf(order));
  if (place % 12 === 0) await shop.backend(path, returnOf(order));
  else if (place % 20 === 0) await shop.backend(path, cancellationOf(order));
}

/** As docs/experiments/assignment.md has it: below the share of control a session is in that arm. */
function placeOf(salt: string, session: string): number {
  const digest = createHash('sha256').update(`${salt}:arm:${session}`).digest();
  return digest.readUIntBE(0, BUCKET_BYTES) / BUCKETS;
}

/** No answer tells the salt: whoever knew it could choose the arm. */
async function saltOf(installation: Installation, experimentId: string): Promise<string> {
  const client = new pg.Client(connectionOf(installation.databaseUrl));
  await client.connect();
  try {
    const experiments = `${pg.escapeIdentifier(schemaOf(installation, 'experiments'))}.experiments`;
    const { rows } = await client.query<{ readonly salt: string }>(
      `select salt from ${experiments} where experiment_id = $1`,
      [experimentId],
    );
    return rows[0]?.salt ?? '';
  } finally {
    await client.end();
  }
}
