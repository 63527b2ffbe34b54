import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntryResource, CampaignResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { fileForm, FORM_TYPE } from './form.js';
import { pictureFiles } from './pictures.js';
import { sendSigned } from './publisher/pulls-suite.js';
import { Publisher } from './publisher/publisher.js';
import { applicationRoutes } from './application-routes.js';
import { eraseSomebody, importProfile, UNAUDITED, verifyLedger } from './audit-trail.js';
import { type Said, workflowChanges } from './workflow-changes.js';

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
const CHANGING = ['POST', 'PUT', 'PATCH', 'DELETE'];

describe('interface page, section 9: whatever changes something leaves an entry in the audit log', () => {
  let product: Product;
  let publisher: Publisher;
  let database: pg.Client;

  beforeAll(async () => {
    product = await sharedProduct();
    publisher = await Publisher.open(product);
    database = new pg.Client({ connectionString: product.installation.databaseUrl });
    await database.connect();
  });

  afterAll(async () => {
    await database.end();
    await product.stop();
  });

  const idOf = ({ status, body, text }: Answer<{ id?: string }>): string => {
    const id = body.data?.id;
    if (id === undefined) throw new Error(`${status} ${text}`);
    return id;
  };
  const done = ({ status, text }: Answer<unknown>): void => {
    if (status >= 300) throw new Error(`${status} ${text}`);
  };
  const made = async (path: string, body: object = {}): Promise<string> =>
    idOf(await publisher.owner.post(path, body));
  const changed = (path: string, body: object): Promise<void> => publisher.owner.patch(path, body).then(done);
  const gone = (path: string): Promise<void> => publisher.owner.delete(path).then(done);
  const posted = (path: string): Promise<void> => publisher.owner.post(path, {}).then(done);

  const newSite = (): Promise<string> => made('sites', SITE);
  const newCampaign = (status = 'draft'): Promise<string> =>
    made('campaigns', {
      site_id: publisher.site.id,
      type: 'overlay',
      name: 'Welcome',
      status,
      content: { layout: 'banner', title: 'Welcome' },
    });
  const newExperiment = async (): Promise<string> =>
    made('partner-experiments', {
      site_id: publisher.site.id,
      name: 'Welcome',
      surface: 'overlay',
      campaign_ids: [await newCampaign('active')],
      minimum_detectable_effect: 0.1,
      baseline_rate: 0.1,
    });
  const newProduct = (): Promise<string> =>
    made('products', { site_id: publisher.site.id, product_id: randomUUID(), title: 'Shoe' });
  const newIntegration = async (): Promise<string> =>
    made('integrations', {
      site_id: await newSite(),
      provider: 'cj',
      credentials: { publisher_id: '1', api_token: 'token' },
    });
  const keys = (): string => `sites/${publisher.site.id}/api-keys`;
  const newKey = (): Promise<string> => made(keys(), { name: 'Backend', scopes: ['events:write'] });
  const members = (): string => `workspaces/${publisher.owner.workspaceId}/members`;
  const newMember = (sub = uniqueName('m')): Promise<string> => made(members(), { sub, role: 'analyst' });
  const newMedia = async (): Promise<string> =>
    idOf(
      await request(`${product.baseUrl}/media`, {
        method: 'POST',
        body: fileForm(pictureFiles.unique()),
        headers: {
          authorization: `Bearer ${publisher.owner.token}`,
          'x-workspace-id': publisher.owner.workspaceId,
          'content-type': FORM_TYPE,
        },
      }),
    );
  const as = async (sub: string, path: string, body: object = {}): Promise<Answer<{ id?: string }>> =>
    request(`${product.baseUrl}/${path}`, {
      json: body,
      headers: { authorization: `Bearer ${await product.idToken({ sub })}` },
    });
  const invited = async (answer: 'accept' | 'decline'): Promise<Said> => {
    const sub = uniqueName('invited');
    const id = await newMember(sub);
    await eventually(async () => (await as(sub, `${members()}/${answer}`)).status === 200);
    return { resource: 'member', action: answer, id, actor: sub };
  };
  const experimentIn = async (before: readonly string[], action: string): Promise<Said> => {
    const id = await newExperiment();
    for (const step of [...before, action]) {
      await eventually(
        async () => (await publisher.owner.post(`partner-experiments/${id}/${step}`, {})).status === 200,
      );
    }
    return { resource: 'partner_experiment', action, id };
  };
  const edited = async (path: string, body: object, action: string, id = newExperiment()): Promise<Said> => {
    await changed(`partner-experiments/${await id}${path}`, body);
    return { resource: 'partner_experiment', action, id: await id };
  };
  const pull = async (): Promise<string> => {
    const body = { site_id: publisher.site.id, integration_id: publisher.integrations.awin };
    const answer = await sendSigned(product, body);
    done(answer);
    return String(answer.body.data?.job_id);
  };
  const said = (resource: string, action: string, id: string): Said => ({ resource, action, id });

  /** Makes the route's change with a valid request. */
  const CHANGES: Readonly<Record<string, () => Promise<Said>>> = {
    'POST /api/v1/workspaces': async () => {
      const sub = uniqueName('founder');
      return {
        ...said('workspace', 'create', idOf(await as(sub, 'workspaces', { name: 'Mine' }))),
        actor: sub,
      };
    },
    'PATCH /api/v1/workspaces/:workspace_id': async () => {
      await changed(`workspaces/${publisher.owner.workspaceId}`, { name: 'Renamed' });
      return said('workspace', 'update', publisher.owner.workspaceId);
    },
    'DELETE /api/v1/workspaces/:workspace_id': async () => {
      const other = await Publisher.open(product);
      done(await other.owner.delete(`workspaces/${other.owner.workspaceId}`));
      return { ...said('workspace', 'delete', other.owner.workspaceId), actor: other.owner.sub };
    },
    'PATCH /api/admin/workspaces/:workspace_id': async () => {
      const { workspaceId } = publisher.owner;
      const headers = { authorization: `Bearer ${product.adminSecret}` };
      const url = `${product.adminUrl}/workspaces/${workspaceId}`;
      done(await request(url, { method: 'PATCH', json: { quotas: { sites: 99 } }, headers }));
      return { ...said('workspace', 'update', workspaceId), actor: null };
    },
    'POST /api/v1/workspaces/:workspace_id/members': async () => said('member', 'create', await newMember()),
    'PATCH /api/v1/workspaces/:workspace_id/members/:member_id': async () => {
      const id = await newMember();
      await changed(`${members()}/${id}`, { role: 'admin' });
      return said('member', 'update', id);
    },
    'DELETE /api/v1/workspaces/:workspace_id/members/:member_id': async () => {
      const id = await newMember();
      await gone(`${members()}/${id}`);
      return said('member', 'delete', id);
    },
    'POST /api/v1/workspaces/:workspace_id/members/accept': () => invited('accept'),
    'POST /api/v1/workspaces/:workspace_id/members/decline': () => invited('decline'),
    'POST /api/v1/sites': async () => said('site', 'create', await newSite()),
    'PATCH /api/v1/sites/:site_id': async () => {
      await changed(`sites/${publisher.site.id}`, { name: 'Renamed' });
      return said('site', 'update', publisher.site.id);
    },
    'DELETE /api/v1/sites/:site_id': async () => {
      const id = await newSite();
      await gone(`sites/${id}`);
      return said('site', 'delete', id);
    },
    'POST /api/v1/sites/:site_id/api-keys': async () => said('api_key', 'create', await newKey()),
    'PATCH /api/v1/sites/:site_id/api-keys/:key_id': async () => {
      const id = await newKey();
      await changed(`${keys()}/${id}`, { name: 'Renamed' });
      return said('api_key', 'update', id);
    },
    'POST /api/v1/sites/:site_id/api-keys/:key_id/rotate': async () => {
      const id = await newKey();
      await posted(`${keys()}/${id}/rotate`);
      return said('api_key', 'rotate', id);
    },
    'DELETE /api/v1/sites/:site_id/api-keys/:key_id': async () => {
      const id = await newKey();
      await gone(`${keys()}/${id}`);
      return said('api_key', 'revoke', id);
    },
    'POST /api/v1/profiles/import': () => importProfile(product, publisher.owner, publisher.site.id),
    'DELETE /api/v1/profiles/:user_id': () => eraseSomebody(publisher.owner, publisher.site.id),
    'POST /api/v1/campaigns': async () => said('campaign', 'create', await newCampaign()),
    'PATCH /api/v1/campaigns/:campaign_id': async () => {
      const id = await newCampaign();
      await changed(`campaigns/${id}`, { name: 'Renamed' });
      return said('campaign', 'update', id);
    },
    'DELETE /api/v1/campaigns/:campaign_id': async () => {
      const id = await newCampaign();
      await gone(`campaigns/${id}`);
      return said('campaign', 'delete', id);
    },
    'POST /api/v1/products': async () => said('product', 'create', await newProduct()),
    'PATCH /api/v1/products/:id': async () => {
      const id = await newProduct();
      await changed(`products/${id}`, { title: 'Boot' });
      return said('product', 'update', id);
    },
    'DELETE /api/v1/products/:id': async () => {
      const id = await newProduct();
      await gone(`products/${id}`);
      return said('product', 'delete', id);
    },
    'PUT /api/v1/products/batch': async () => {
      const products = [{ product_id: 'batch', title: 'Shoe' }];
      done(await publisher.owner.put('products/batch', { site_id: publisher.site.id, products }));
      return said('catalogue', 'update', publisher.site.id);
    },
    'POST /api/v1/integrations': async () => said('integration', 'create', await newIntegration()),
    'PATCH /api/v1/integrations/:id': async () => {
      const id = await newIntegration();
      await changed(`integrations/${id}`, { base_url: 'https://api.network.example' });
      return said('integration', 'update', id);
    },
    'DELETE /api/v1/integrations/:id': async () => {
      const id = await newIntegration();
      await gone(`integrations/${id}`);
      return said('integration', 'delete', id);
    },
    'POST /api/v1/integrations/:id/settlements': async () => {
      done(await publisher.upload('cj', { rows: [] }));
      return said('integration', 'import', publisher.integrations.cj);
    },
    'POST /api/v1/integrations/jobs/:type': async () => {
      await pull();
      return { ...said('site', 'pull', publisher.site.id), actor: null };
    },
    'POST /api/v1/jobs/:job_id/cancel': async () => {
      // For a network that does not answer, which is retried for minutes.
      const id = await pull();
      await posted(`jobs/${id}/cancel`);
      return said('job', 'cancel', id);
    },
    ...workflowChanges(
      () => publisher.owner,
      () => publisher.site.id,
    ),
    'POST /api/v1/media': async () => said('media', 'create', await newMedia()),
    'DELETE /api/v1/media/:media_id': async () => {
      const id = await newMedia();
      await gone(`media/${id}`);
      return said('media', 'delete', id);
    },
    'POST /api/v1/partner-experiments': async () =>
      said('partner_experiment', 'create', await newExperiment()),
    'PATCH /api/v1/partner-experiments/:experiment_id': () => edited('', { name: 'Renamed' }, 'update'),
    'PATCH /api/v1/partner-experiments/:experiment_id/exclusions': () =>
      edited('/exclusions', { sessions_per_network: 20 }, 'exclude'),
    'DELETE /api/v1/partner-experiments/:experiment_id': async () => {
      const id = await newExperiment();
      await gone(`partner-experiments/${id}`);
      return said('partner_experiment', 'delete', id);
    },
    'POST /api/v1/partner-experiments/:experiment_id/start': () => experimentIn([], 'start'),
    'POST /api/v1/partner-experiments/:experiment_id/pause': () => experimentIn(['start'], 'pause'),
    'POST /api/v1/partner-experiments/:experiment_id/resume': () =>
      experimentIn(['start', 'pause'], 'resume'),
    'POST /api/v1/partner-experiments/:experiment_id/stop': () => experimentIn(['start'], 'stop'),
    'POST /api/v1/partner-attribution/chain/verifications': () =>
      verifyLedger(publisher.owner, publisher.site.id),
    'POST /api/v1/partner-attribution/commission-rules': async () => {
      const rule = { provider: 'awin', type: 'percentage', rate: '0.05' };
      const json = { website_id: publisher.site.id, ...rule, effective_from: '2025-01-01T00:00:00Z' };
      return said('commission_rule', 'create', await made('partner-attribution/commission-rules', json));
    },
  };

  /** From the table: the log of a deleted workspace cannot be requested. */
  async function hasEntry({ resource, action, id, actor = publisher.owner.sub }: Said): Promise<boolean> {
    const { rowCount } = await database.query(
      `select from ${product.schema('management')}.audit_log
        where resource = $1 and action = $2 and resource_id = $3 and actor is not distinct from $4`,
      [resource, action, id, actor],
    );
    return rowCount !== null && rowCount > 0;
  }

  it('every route that may change something is walked, or excused by name', async () => {
    const { routes } = await applicationRoutes();
    const changing = routes
      .filter(({ method }) => CHANGING.includes(method))
      .map(({ method, path }) => `${method} ${path}`);
    expect(changing.toSorted()).toEqual([...Object.keys(CHANGES), ...Object.keys(UNAUDITED)].toSorted());
  });

  it.each(Object.entries(CHANGES))('%s', async (_route, make) => {
    const change = await make();
    const message = `an entry ${change.resource} ${change.action} ${change.id}`;
    expect(await eventually(() => hasEntry(change), { message })).toBe(true);
  });

  it('members of a workspace read its audit entries', async () => {
    const { body } = await publisher.owner.get<{ items: AuditEntryResource[] }>('audit-log?limit=200');
    const read = new Set(body.data?.items.map(({ resource }) => resource));
    for (const resource of ['commission_rule', 'partner_experiment', 'campaign', 'integration'])
      expect([...read]).toContain(resource);
  });

  it('refused requests leave none', async () => {
    const site = (await publisher.owner.get<SiteResource>(`sites/${publisher.site.id}`)).body.data;
    const id = await newCampaign();
    const stale = { 'if-match': '"9"' };
    expect((await publisher.owner.patch<CampaignResource>(`campaigns/${id}`, {}, stale)).status).toBe(409);
    expect((await publisher.owner.delete(`sites/${site?.id}`, stale)).status).toBe(409);
    expect(await hasEntry(said('campaign', 'update', id))).toBe(false);
    expect(await hasEntry(said('site', 'delete', String(site?.id)))).toBe(false);
  });
});
