import { randomUUID } from 'node:crypto';
import { beforeAll, describe, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { fileForm, FORM_TYPE } from '../form.js';
import { Merchant } from '../merchant.js';
import { pictureFiles } from '../pictures.js';
import { type AnyData, type AnswerWalk, membersHeaders } from './answer-walk.js';

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
const CAMPAIGN = { type: 'overlay', name: 'Welcome', content: { layout: 'modal', title: 'Hello' } };

/** Answers of routes of members. */
export function managementAnswers(walk: () => AnswerWalk): void {
  describe('management', () => {
    let owner: Merchant;
    let siteId: string;

    beforeAll(async () => {
      owner = await Merchant.join(walk().product);
      siteId = (await sent('POST', 'sites', SITE)).id;
    });

    const sent = (method: string, path: string, json?: object): Promise<AnyData> =>
      walk().succeed(method, path, { headers: membersHeaders(owner), ...(json !== undefined && { json }) });

    /** Creates a resource, and reads it by every route. */
    async function circle(path: string, body: object, change?: object): Promise<void> {
      const { id } = await sent('POST', path, body);
      await sent('GET', `${path}/${id}`);
      await sent('GET', path);
      if (change !== undefined) await sent('PATCH', `${path}/${id}`, change);
      await sent('DELETE', `${path}/${id}`);
    }

    it('campaigns', () =>
      circle(
        'campaigns',
        {
          ...CAMPAIGN,
          site_id: siteId,
          schedule: { from: '2026-01-01T00:00:00Z' },
          targeting: { languages: ['de'], device_types: ['mobile'] },
        },
        { schedule: null, targeting: null },
      ));

    it('products, alone and in batches', async () => {
      const attributes = { colour: 'red', sizes: [1, 2.5] };
      const price = { price: '12.5', currency: 'EUR' };
      const whole = { site_id: siteId, product_id: randomUUID(), title: 'Shoe', ...price };
      await circle('products', { ...whole, url: 'https://shop.example/1', attributes }, { price: null });
      await sent('PUT', 'products/batch', {
        site_id: siteId,
        products: [{ product_id: 'b', title: 'Boot' }],
      });
    });

    it('integrations', () =>
      circle(
        'integrations',
        { site_id: siteId, provider: 'cj', credentials: { publisher_id: '1', api_token: 'token' } },
        { base_url: 'https://api.network.example' },
      ));

    it('workflows, their deliveries, tests and replays', async () => {
      const workflow = {
        site_id: siteId,
        name: 'CRM',
        trigger: {
          event_types: ['purchase'],
          conditions: [{ field: 'properties.total', operator: 'in', value: [1, 'a', true] }],
        },
        action: { type: 'webhook', url: 'https://crm.invalid/hook' },
      };
      await circle('workflows', workflow, { action: { secret: null } });
      const path = `workflows/${(await sent('POST', 'workflows', workflow)).id}`;
      const delivery = `${path}/deliveries/${(await sent('POST', `${path}/test`, {})).id}`;
      await eventually(async () => {
        const read = await sent('GET', delivery);
        return JSON.stringify(read).includes('"error":"');
      });
      await sent('GET', `${path}/deliveries`);
      // It is refused while another attempt is under way.
      await eventually(() => sent('POST', `${delivery}/replay`));
      await sent('POST', `${path}/deliveries/replay`, { from: '2026-01-01', to: '2026-02-01' });
    });

    it('API keys, and the text of a new one', async () => {
      const keys = `sites/${siteId}/api-keys`;
      const change = { expires_at: '2099-01-01T00:00:00Z' };
      await circle(keys, { name: 'Backend', scopes: ['events:write'] }, change);
      const { id } = await sent('POST', keys, { name: 'Other', scopes: ['events:write'] });
      await sent('POST', `${keys}/${id}/rotate`, {});
    });

    it('members, and the answers to invitations', async () => {
      const members = `workspaces/${owner.workspaceId}/members`;
      await circle(members, { sub: uniqueName('member'), role: 'analyst' }, { role: 'admin' });
      await circle(members, { email: `${uniqueName('member')}@shop.example`, role: 'analyst' });
      for (const answer of ['accept', 'decline']) {
        const sub = uniqueName('invited');
        await sent('POST', members, { sub, role: 'analyst' });
        const headers = { authorization: `Bearer ${await walk().product.idToken({ sub })}` };
        await walk().succeed('POST', `${members}/${answer}`, { headers });
      }
    });

    it('pictures, and the file itself', async () => {
      const form = fileForm(pictureFiles.unique());
      const headers = { ...membersHeaders(owner), 'content-type': FORM_TYPE };
      const made = await walk().succeed<AnyData & { url: string }>('POST', 'media', { body: form, headers });
      await sent('GET', 'media');
      await sent('GET', `media/${made.id}`);
      const file = new URL(made.url).pathname.replace('/api/v1/', '');
      const { headers: given } = await walk().send('GET', file);
      await walk().send('GET', file, { headers: { 'if-none-match': String(given.get('etag')) } });
      await sent('DELETE', `media/${made.id}`);
    });

    it('sites and workspaces, the job that erases them, and the log of all that', async () => {
      await sent('GET', `sites/${siteId}`);
      await sent('GET', `sites/${siteId}/intake`);
      await sent('GET', 'sites');
      await sent('PATCH', `sites/${siteId}`, { partner: { lookback_days: 30 } });
      const { id } = await sent('POST', 'sites', SITE);
      const { job_id: jobId } = await sent('DELETE', `sites/${id}`);
      await sent('GET', `jobs/${jobId}`);
      await sent('GET', 'audit-log');
      await sent('GET', 'workspaces');
      const workspace = `workspaces/${(await sent('POST', 'workspaces', { name: 'Other' })).id}`;
      await sent('GET', workspace);
      await sent('PATCH', workspace, { name: 'Renamed' });
      await sent('DELETE', workspace);
    });
  });
}
