import type { ErasedProfile } from '@truetally/contracts/management';
import { request } from '@truetally/processes';
import { finishedJob } from './finished-job.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { freshPrefix } from './scenarios.js';

const IMPORTS = 40;
const PROFILES_PER_IMPORT = 1_000;
const LEAST_PROFILES_PER_SECOND = 5_000;
const EVENTS = 10_000;
const EVENTS_PER_BATCH = 100;
const MOST_ERASURE_SECONDS = 30;
const AT_ONCE = 8;
const MS_PER_SECOND = 1_000;

/** Profiles that are imported, until their jobs have ended, and the erasure of a person with many events. */
export async function peopleRows(stack: ProductStack): Promise<Row[]> {
  await importProfiles(stack, AT_ONCE);
  const seconds = await importProfiles(stack, IMPORTS);
  const perSecond = Math.round((IMPORTS * PROFILES_PER_IMPORT) / seconds);
  const erasureSeconds = await eraseBusyPerson(stack);
  return [
    {
      name: `new profiles in imports of ${PROFILES_PER_IMPORT.toLocaleString('en')}, until their jobs have ended`,
      figure: `${perSecond.toLocaleString('en')} profiles/s`,
      target: `≥ ${LEAST_PROFILES_PER_SECOND.toLocaleString('en')}/s`,
      isMet: perSecond >= LEAST_PROFILES_PER_SECOND,
    },
    {
      name: `erasing a person with ${EVENTS.toLocaleString('en')} events, until the job has ended`,
      figure: `${erasureSeconds.toFixed(1)} s`,
      target: `≤ ${MOST_ERASURE_SECONDS} s`,
      isMet: erasureSeconds <= MOST_ERASURE_SECONDS,
    },
  ];
}

async function importProfiles(stack: ProductStack, imports: number): Promise<number> {
  const prefix = freshPrefix();
  const startedAt = performance.now();
  const jobIds: string[] = [];
  await inTurns(imports, async (turn) => {
    const profiles = Array.from({ length: PROFILES_PER_IMPORT }, (_, n) => ({
      user_id: `${prefix}-${turn}-${n}`,
      email: `${prefix}-${turn}-${n}@bench.example`,
      name: 'A customer',
      attributes: { size: n, tags: ['new'] },
    }));
    const begun = await request<{ job_id: string }>(`${stack.baseUrl}/profiles/import`, {
      headers: { 'x-api-key': stack.apiKey },
      json: { profiles },
    });
    if (begun.body.data === undefined) throw new Error(`${begun.status} ${begun.text}`);
    jobIds.push(begun.body.data.job_id);
  });
  for (const jobId of jobIds) await finishedJob(stack, jobId);
  return (performance.now() - startedAt) / MS_PER_SECOND;
}

async function eraseBusyPerson(stack: ProductStack): Promise<number> {
  const userId = freshPrefix();
  await inTurns(EVENTS / EVENTS_PER_BATCH, async (turn) => {
    const events = Array.from({ length: EVENTS_PER_BATCH }, (_, n) => ({
      event_type: 'page_view',
      session_id: `${userId}-${turn}`,
      client_event_id: `${userId}-${turn}-${n}`,
      user_id: userId,
      context: { page_url: 'https://bench.example/', user_agent: 'Mozilla/5.0' },
    }));
    const sent = await request(`${stack.baseUrl}/events/batch`, {
      headers: { 'x-api-key': stack.apiKey },
      json: { events },
    });
    if (sent.status >= 300) throw new Error(`${sent.status} ${sent.text}`);
  });
  const startedAt = performance.now();
  const erased = await request<ErasedProfile>(`${stack.baseUrl}/profiles/${userId}?site_id=${stack.siteId}`, {
    method: 'DELETE',
    headers: membersHeaders(stack),
  });
  if (erased.body.data === undefined) throw new Error(`${erased.status} ${erased.text}`);
  await finishedJob(stack, erased.body.data.job_id);
  return (performance.now() - startedAt) / MS_PER_SECOND;
}

function membersHeaders({ ownerToken, workspaceId }: ProductStack): Record<string, string> {
  return { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': workspaceId };
}

async function inTurns(turns: number, work: (turn: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < turns) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
