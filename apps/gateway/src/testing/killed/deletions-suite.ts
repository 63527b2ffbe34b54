import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import { eventually, request } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { queryProduct } from '../query-product.js';
import { FilledSite, type Holdings } from '../filled-site.js';
import { Merchant } from '../merchant.js';

interface Deleted {
  readonly id: string;
  readonly deleted: boolean;
  readonly job_id: string;
}

const NOTHING: Holdings = {
  events: 0,
  followedEvents: 0,
  counters: 0,
  touches: 0,
  clickValues: 0,
  records: 0,
  apiKeys: 0,
  products: 0,
  campaigns: 0,
  integrations: 0,
};

let product: LaunchedProduct;
let merchant: Merchant;
let analyst: Merchant;
let outsider: Merchant;

async function finished(reader: Merchant, jobId: string): Promise<JobResource> {
  const read = () => reader.get<JobResource>(`jobs/${jobId}`);
  await eventually(async () => (await read()).body.data?.finished_at != null);
  return (await read()).body.data as JobResource;
}

/** Needs the ledger apart from gateway, management and ingestion; leaves one more gateway. */
export function whatIsDeleted(launched: () => LaunchedProduct): void {
  beforeAll(async () => {
    product = launched();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    analyst = await merchant.invite('analyst');
  });

  sites();
  workspaces();
  jobs();
}

function sites(): void {
  describe('interface page, sections 1 and 9: deleting a site', () => {
    it('a deleted site is 404 at once, its keys and tokens too, and all but the ledger is erased', async () => {
      const [gone, other] = [
        await FilledSite.open(product, merchant),
        await FilledSite.open(product, merchant),
      ];
      await gone.fill(500, 40, 3);
      await other.fill(100, 20, 1);
      const [before, kept] = [await gone.holdings(), await other.holdings()];
      expect(before).toMatchObject({ events: 500, touches: 40, clickValues: 40, records: 3 });

      const answer = await merchant.delete<Deleted>(`sites/${gone.site.id}`);
      expect([answer.status, answer.body.data]).toEqual([
        200,
        { id: gone.site.id, deleted: true, job_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      ]);
      expect((await merchant.get(`sites/${gone.site.id}`)).status).toBe(404);
      expect((await merchant.patch(`sites/${gone.site.id}`, { name: 'Again' })).status).toBe(404);
      expect((await merchant.delete(`sites/${gone.site.id}`)).status).toBe(404);
      const orders = `partner-attribution/touches?website_id=${gone.site.id}`;
      expect((await merchant.get(orders)).status).toBe(404);
      expect([await gone.trackEvent(), await gone.recordTouch(), await gone.issueToken()]).toEqual([
        401, 401, 401,
      ]);

      const job = await finished(merchant, String(answer.body.data?.job_id));
      const rows = before.events + before.followedEvents + before.touches + before.apiKeys;
      expect(job).toEqual({
        job_id: answer.body.data?.job_id,
        type: 'site.delete',
        site_id: gone.site.id,
        started_by: merchant.sub,
        cancellable: false,
        state: 'completed',
        total: rows,
        done: rows,
        stored: 0,
        failed: 0,
        errors: [],
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        finished_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      });
      expect(await gone.holdings()).toEqual({ ...NOTHING, records: 3 });
      expect(await other.holdings()).toEqual(kept);
      expect(await other.trackEvent()).toBe(201);

      // A gateway that starts now reads the topics from their beginning, where the site and its keys were still valid.
      const { baseUrl } = await product.addGateway();
      expect([await gone.trackEvent(baseUrl), await other.trackEvent(baseUrl)]).toEqual([401, 201]);
    });

    it('takes If-Match, and is for owners and admins', async () => {
      const { site } = await FilledSite.open(product, merchant);
      expect((await merchant.delete(`sites/${site.id}`, { 'if-match': '"7"' })).status).toBe(409);
      expect((await analyst.delete(`sites/${site.id}`)).status).toBe(403);
      expect((await outsider.delete(`sites/${site.id}`)).status).toBe(404);
      expect((await merchant.delete(`sites/${randomUUID()}`)).status).toBe(404);
      expect((await merchant.delete(`sites/${site.id}`, { 'if-match': '"1"' })).status).toBe(200);
    });
  });
}

function workspaces(): void {
  describe('interface page, sections 1 and 9: deleting a workspace', () => {
    it('a workspace is deleted by owners, with sites and members at once, and its deleter follows the job', async () => {
      const owner = await Merchant.join(product);
      const admin = await owner.invite('admin');
      const filled = await FilledSite.open(product, owner);
      await filled.fill(200, 20, 2);
      await filled.furnish(owner);
      const path = `workspaces/${owner.workspaceId}`;
      expect((await admin.delete(path)).status).toBe(403);
      expect((await outsider.delete(path)).status).toBe(404);
      expect((await owner.delete(path, { 'if-match': '"7"' })).status).toBe(409);

      const answer = await owner.delete<Deleted>(path);
      expect([answer.status, answer.body.data]).toEqual([
        200,
        { id: owner.workspaceId, deleted: true, job_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      ]);
      expect((await owner.get(path)).status).toBe(404);
      expect((await owner.delete(path)).status).toBe(404);
      expect((await owner.get('sites')).status).toBe(404);
      expect((await owner.get('workspaces')).body.data).toMatchObject({ items: [] });
      expect([await filled.trackEvent(), await filled.recordTouch(), await filled.issueToken()]).toEqual([
        401, 401, 401,
      ]);

      const jobId = String(answer.body.data?.job_id);
      expect(await finished(owner, jobId)).toMatchObject({
        type: 'workspace.delete',
        state: 'completed',
        errors: [],
      });
      expect((await admin.get(`jobs/${jobId}`)).status).toBe(404);
      expect((await outsider.get(`jobs/${jobId}`)).status).toBe(404);
      expect(await filled.holdings()).toEqual({ ...NOTHING, records: 2 });
      const entries = await queryProduct(
        product,
        'management',
        'select action, resource, actor from audit_log where workspace_id = $1',
        [owner.workspaceId],
      );
      expect(entries).toEqual([{ action: 'delete', resource: 'workspace', actor: owner.sub }]);
      const members = await queryProduct(
        product,
        'management',
        'select from members where workspace_id = $1',
        [owner.workspaceId],
      );
      expect(members).toEqual([]);
    });
  });
}

function jobs(): void {
  describe('interface page, section 9: jobs', () => {
    let jobId: string;
    let key: string;

    beforeAll(async () => {
      const [{ site }, other] = [
        await FilledSite.open(product, merchant),
        await FilledSite.open(product, merchant),
      ];
      key = other.apiKey;
      jobId = String((await merchant.delete<Deleted>(`sites/${site.id}`)).body.data?.job_id);
      await finished(merchant, jobId);
    });

    const as = (headers: Record<string, string>, path = `jobs/${jobId}`, method = 'GET') =>
      request(`${product.baseUrl}/${path}`, { headers, method });

    it('jobs are shown to every member of their workspace, whichever they pick, and to no others', async () => {
      expect((await merchant.get(`jobs/${jobId}`)).status).toBe(200);
      expect((await analyst.get(`jobs/${jobId}`, { 'x-workspace-id': outsider.workspaceId })).status).toBe(
        200,
      );
      expect((await outsider.get(`jobs/${jobId}`)).status).toBe(404);
      expect((await outsider.get(`jobs/${jobId}`, { 'x-workspace-id': merchant.workspaceId })).status).toBe(
        404,
      );
      expect((await merchant.get(`jobs/${randomUUID()}`)).status).toBe(404);
      expect((await merchant.get('jobs/none')).status).toBe(404);
    });

    it('jobs are hidden from a key that did not start them, and nothing is shown without a credential', async () => {
      expect((await as({ 'x-api-key': key })).status).toBe(404);
      expect((await as({ 'x-api-key': key }, `jobs/${jobId}/cancel`, 'POST')).status).toBe(404);
      expect((await as({})).status).toBe(401);
      expect((await as({ authorization: 'Bearer nothing' })).status).toBe(401);
      const limits = await merchant.get(`jobs/${jobId}`);
      expect(limits.headers.get('x-ratelimit-limit')).not.toBeNull();
    });

    it('finished jobs cannot be cancelled, nor deletions while they run; analysts may cancel nothing', async () => {
      const answer = await merchant.post(`jobs/${jobId}/cancel`, {});
      expect([answer.status, answer.body.error]).toEqual([
        409,
        {
          code: 'CONFLICT',
          message: 'The job is finished.',
          details: { state: ['is completed already'] },
        },
      ]);
      expect((await analyst.post(`jobs/${jobId}/cancel`, {})).status).toBe(403);
      expect((await outsider.post(`jobs/${jobId}/cancel`, {})).status).toBe(404);
    });

    it('wait for a service that is away, show where they are, and go on when it is back', async () => {
      const filled = await FilledSite.open(product, merchant);
      await filled.fill(200, 20, 1);
      const furniture = await filled.furnish(merchant);
      const [ledger] = product.processes('attribution-ledger');
      await ledger?.kill('SIGSTOP');
      const { body } = await merchant.delete<Deleted>(`sites/${filled.site.id}`);
      const path = `jobs/${String(body.data?.job_id)}`;
      await eventually(async () => (await merchant.get<JobResource>(path)).body.data?.done === 200);
      expect((await merchant.get(path)).body.data).toMatchObject({
        state: 'running',
        total: 200,
        finished_at: null,
      });
      expect(await filled.holdings()).toMatchObject({ products: 1, campaigns: 1, integrations: 1 });
      for (const place of furniture) {
        const [resource = '', id = ''] = place.split('/');
        expect((await merchant.get(place)).status).toBe(404);
        expect((await merchant.patch(place, {})).status).toBe(404);
        expect((await merchant.delete(place)).status).toBe(404);
        expect((await merchant.get(`${resource}?site_id=${filled.site.id}`)).status).toBe(404);
        expect((await merchant.get(`${resource}?limit=200`)).text).not.toContain(id);
      }
      expect((await merchant.get('sites?limit=200')).text).not.toContain(filled.site.id);
      const cancelled = await merchant.post(`${path}/cancel`, {});
      expect([cancelled.status, cancelled.body.error?.message]).toEqual([
        409,
        'A deletion cannot be cancelled: some of it is gone already.',
      ]);
      await ledger?.kill('SIGCONT');
      await eventually(async () => (await merchant.get<JobResource>(path)).body.data?.state === 'completed');
      expect(await filled.holdings()).toEqual({ ...NOTHING, records: 1 });
    });
  });
}
