import { randomUUID } from 'node:crypto';
import { beforeAll, describe, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { FilledSite, ORIGIN } from '../filled-site.js';
import { Merchant } from '../merchant.js';
import { type AnyData, type AnswerWalk, membersHeaders } from './answer-walk.js';

/** Answers about people: submissions, profiles, erasures and the list of jobs. */
export function peopleAnswers(walk: () => AnswerWalk): void {
  describe('people', () => {
    let owner: Merchant;
    let shop: FilledSite;

    beforeAll(async () => {
      owner = await Merchant.join(walk().product);
      shop = await FilledSite.open(walk().product, owner);
    });

    const sent = (method: string, path: string, json?: object): Promise<AnyData> =>
      walk().succeed(method, path, { headers: membersHeaders(owner), ...(json !== undefined && { json }) });

    it('submissions, and their file', async () => {
      const content = { layout: 'modal', title: 'Hello' };
      const overlay = { site_id: shop.site.id, type: 'overlay', name: 'News', content };
      const { id: campaignId } = await sent('POST', 'campaigns', overlay);
      const json = {
        campaign_id: campaignId,
        session_id: randomUUID(),
        fields: { note: 'Hello' },
        consent: { granted: true },
      };
      const headers = { authorization: `Bearer ${shop.runtimeToken}`, origin: ORIGIN };
      const { id } = await walk().succeed('POST', 'submissions', { headers, json });
      await sent('GET', `submissions/${id}`);
      await sent('GET', 'submissions');
      await walk().send('GET', `submissions.csv?site_id=${shop.site.id}`, { headers: membersHeaders(owner) });
    });

    it('profiles, their import and file, and an erasure', async () => {
      const headers = { 'x-api-key': shop.apiKey };
      const json = { profiles: [{ user_id: 'ann', attributes: { size: 41 } }] };
      const { job_id: jobId } = await walk().succeed('POST', 'profiles/import', { headers, json });
      const path = `profiles/ann?site_id=${shop.site.id}`;
      await eventually(async () => (await owner.get(path)).status === 200);
      await walk().succeed('GET', `profiles/imports/${jobId}`, { headers });
      await sent('GET', path);
      await sent('GET', 'profiles');
      await walk().send('GET', `profiles.csv?site_id=${shop.site.id}`, { headers: membersHeaders(owner) });
      const { erasure_id: erasureId } = (await sent('DELETE', path)) as AnyData & { erasure_id: string };
      await sent('GET', `profiles/erasures/${erasureId}`);
      await sent('GET', 'profiles/erasures');
      await sent('GET', 'jobs');
    });
  });
}
