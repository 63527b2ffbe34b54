import type { JobResource } from '@truetally/contracts/jobs';
import type { ErasedProfile, ErasureResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/processes';
import type { DemoShop } from './demo-shop.js';

const WAIT_MS = 120_000;
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

/** A shop's backend imports what it knows of two customers, and one of them asks to be erased. */
export async function playForgottenCustomer(
  baseUrl: string,
  shop: DemoShop,
  ownerToken: string,
  say: (line: string) => void,
): Promise<void> {
  const owner = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': shop.workspaceId };
  const backend = { 'x-api-key': shop.apiKey };
  const get = async <T>(path: string): Promise<T> =>
    dataOf(await request<T>(`${baseUrl}/${path}`, { headers: owner }));
  const finished = (jobId: string): Promise<JobResource> =>
    eventually(
      async () => {
        const job = await get<JobResource>(`jobs/${jobId}`);
        return job.finished_at === null ? undefined : job;
      },
      { message: 'the job to end', timeoutMs: WAIT_MS },
    );
  say('\nA customer who asks to be forgotten:');
  const customer = `demo-${Date.now().toString(36)}`;
  const profiles = [
    { user_id: customer, email: `${customer}@shop.example`, attributes: { size: 41 } },
    { user_id: 'somebody', email: 'no address' },
  ];
  const begun = await request<{ job_id: string }>(`${baseUrl}/profiles/import`, {
    headers: backend,
    json: { profiles },
  });
  const imported = await finished(dataOf(begun).job_id);
  const [broken] = imported.errors;
  say(
    `  POST /profiles/import → ${imported.stored} stored, ${imported.failed} failed: row ${String(broken?.row)}, ${String(broken?.field)}`,
  );
  await request(`${baseUrl}/events/track`, { headers: backend, json: viewBy(customer, shop.origin) });
  const erased = dataOf(
    await request<ErasedProfile>(`${baseUrl}/profiles/${customer}?site_id=${shop.siteId}`, {
      method: 'DELETE',
      headers: owner,
    }),
  );
  await finished(erased.job_id);
  const proof = await get<ErasureResource>(`profiles/erasures/${erased.erasure_id}`);
  say('  DELETE /profiles/{user_id} → the proof, without the person:');
  for (const { service, state, removed } of proof.services) {
    const counts = Object.entries(removed).filter(([, count]) => count > 0);
    say(
      `    ${service.padEnd(20)} ${state}  ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`,
    );
  }
  const late = await request(`${baseUrl}/events/track`, {
    headers: backend,
    json: viewBy(customer, shop.origin),
  });
  say(`  A later event of the person: POST /events/track → ${late.status} ${late.body.error?.code ?? ''}`);
}

function viewBy(userId: string, origin: string): object {
  return {
    event_type: 'page_view',
    session_id: `${userId}-session`,
    user_id: userId,
    context: { page_url: `${origin}/shoes`, user_agent: USER_AGENT },
  };
}

function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The demo got ${status}: ${text}`);
  return body.data;
}
