import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { SCOPES } from '@truetally/contracts/credentials';
import { eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { conversionsOf, line } from './conversions.js';
import { fileForm, FORM_TYPE } from './form.js';
import { pictureFiles } from './pictures.js';
import { row } from './publisher/publisher.js';
import { touch } from './touch-page.js';

type Headers = Readonly<Record<string, string>>;

interface Said {
  readonly id: string;
  readonly key: string;
  readonly token: string;
  readonly job_id: string;
  readonly event_id: string;
  readonly assignments: readonly { readonly assignment_id: string }[];
}

/** An unreachable address, so that no real network is pulled from. */
const NOWHERE = 'http://127.0.0.1:1';
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * A workspace with a site and people, each text of which contains one unique word: wherever the word is found later,
 * something of the workspace is left.
 */
export class MarkedWorkspace {
  /** In every text that was sent. */
  readonly mark = `mark${randomBytes(8).toString('hex')}`;
  /** Requests whose body or query had a mark, as `POST /api/v1/sites/{}`. */
  readonly marked = new Set<string>();
  workspaceId = '';
  private readonly origin = `https://${this.mark}.example`;
  private token = '';
  private siteId = '';
  private key = '';
  private pageToken = '';

  constructor(private readonly product: Product) {}

  /** A text that is found by its mark. */
  text(name: string): string {
    return `${this.mark}-${name}`;
  }

  /** One request by every route that stores a text of its caller. */
  async fill(): Promise<void> {
    await this.openWorkspace();
    await this.openSite();
    await this.addPeople();
    await this.furnish();
    await this.workflow();
    await this.visit();
    await this.buy();
    await this.experiment();
    await this.settle();
    await this.know();
  }

  /** @returns the state of the job that erases it */
  async erase(): Promise<string> {
    const { job_id: jobId } = await this.member('DELETE', `workspaces/${this.workspaceId}`);
    return eventually(
      async () => {
        const { state } = await this.member<{ state: string; finished_at: string | null }>(
          'GET',
          `jobs/${jobId}`,
        );
        return ['completed', 'failed'].includes(state) ? state : undefined;
      },
      { message: 'the erasure to end' },
    );
  }

  private async openWorkspace(): Promise<void> {
    const email = `${this.mark}@shop.example`;
    this.token = await this.product.idToken({ sub: this.text('owner'), email });
    this.workspaceId = (await this.member('POST', 'workspaces', { name: this.text('workspace') })).id;
    const path = `workspaces/${this.workspaceId}`;
    await eventually(async () => (await this.ask('GET', path, {}, this.members())).status === 200);
    await this.member('PATCH', path, { name: this.text('renamed') });
  }

  private async openSite(): Promise<void> {
    const site = { name: this.text('site'), domain: `${this.mark}.example`, allowed_origins: [this.origin] };
    this.siteId = (await this.member('POST', 'sites', { ...site, publisher_mode: 'active' })).id;
    await this.member('PATCH', `sites/${this.siteId}`, { name: this.text('renamed-site') });
    const keys = `sites/${this.siteId}/api-keys`;
    const made = await this.member('POST', keys, { name: this.text('key'), scopes: SCOPES });
    this.key = made.key;
    await this.member('PATCH', `${keys}/${made.id}`, { name: this.text('renamed-key') });
    const json = { site_id: this.siteId };
    const issued = await eventually(async () => {
      const answer = await this.ask('POST', 'runtime/tokens', json, { origin: this.origin });
      return answer.status < 400 && answer.body.data;
    });
    this.pageToken = issued.token;
  }

  private async addPeople(): Promise<void> {
    const members = `workspaces/${this.workspaceId}/members`;
    await this.member('POST', members, { sub: this.text('colleague'), role: 'admin' });
    await this.member('POST', members, { email: `${this.text('invited')}@shop.example`, role: 'analyst' });
  }

  private async furnish(): Promise<void> {
    const site = { site_id: this.siteId };
    const product = { ...site, product_id: this.text('sku'), title: this.text('product') };
    const { id } = await this.member('POST', 'products', {
      ...product,
      url: `${this.origin}/p`,
      attributes: { colour: this.text('colour') },
    });
    await this.member('PATCH', `products/${id}`, { title: this.text('renamed-product') });
    const products = [{ product_id: this.text('sku-2'), title: this.text('second') }];
    await this.member('PUT', 'products/batch', { ...site, products });
    const form = fileForm(pictureFiles.unique());
    const headers = { ...this.members(), 'content-type': FORM_TYPE };
    const uploaded = await request(`${this.product.baseUrl}/media`, { method: 'POST', body: form, headers });
    expect(uploaded.status).toBe(201);
  }

  private async visit(): Promise<void> {
    const event = (changes: object = {}) => ({
      event_type: 'page_view',
      session_id: this.text('session'),
      user_id: this.text('user'),
      device_id: this.text('device'),
      client_event_id: this.text(randomUUID()),
      properties: { search: this.text('property') },
      context: { page_url: `${this.origin}/page`, user_agent: `Mozilla/5.0 ${this.text('agent')}` },
      ...changes,
    });
    await eventually(async () => (await this.backend('POST', 'events/track', event())).status < 400);
    await this.ok(this.backend('POST', 'events/batch', { events: [event(), event()] }));
    const click = {
      provider: 'awin',
      click_reference: this.text('reference'),
      destination_url: `https://${this.mark}.example/shoes`,
      content_id: this.text('content'),
      campaign_id: this.text('campaign-id'),
    };
    await this.ok(
      this.backend('POST', 'events/track', event({ event_type: 'partner_link_click', properties: click })),
    );
    await this.ok(this.page('POST', 'partner-attribution/touches', { touches: [this.touch('touch')] }));
  }

  private touch(name: string): object {
    return touch({
      touch_id: this.text(name),
      session_id: this.text('session'),
      provider_click_id: this.text('click'),
      partner_id: this.text('partner'),
      landing_path: `/${this.mark}`,
      occurred_at: new Date().toISOString(),
    });
  }

  private async buy(): Promise<void> {
    const rule = { website_id: this.siteId, provider: 'awin', partner_id: this.text('partner') };
    await this.ok(
      this.backend('POST', 'partner-attribution/commission-rules', {
        ...rule,
        type: 'percentage',
        rate: '0.05',
        effective_from: '2025-01-01T00:00:00Z',
      }),
    );
    const amounts = { unit_price: '10.00', subtotal: '10.00', commissionable_amount: '10.00' };
    const lines = [line(this.text('line'), { ...amounts, sku: this.text('line-sku') })];
    const { simplePurchase } = conversionsOf(this.siteId);
    const touchIds = [this.text('touch'), this.text('never-comes')];
    await this.ok(
      this.backend(
        'POST',
        'partner-attribution/conversions',
        simplePurchase(this.text('order'), '10.00', { lines, touch_ids: touchIds }),
      ),
    );
  }

  private async experiment(): Promise<void> {
    const overlay = { layout: 'modal', title: this.text('title') };
    const body = { site_id: this.siteId, type: 'overlay', status: 'active', content: overlay };
    const campaign = await this.member('POST', 'campaigns', { ...body, name: this.text('campaign') });
    await this.member('PATCH', `campaigns/${campaign.id}`, { name: this.text('renamed-campaign') });
    const experiments = 'partner-experiments';
    const planned = {
      site_id: this.siteId,
      name: this.text('experiment'),
      hypothesis: this.text('hypothesis'),
      surface: 'overlay',
      campaign_ids: [campaign.id],
      minimum_detectable_effect: 0.2,
      baseline_rate: 0.1,
    };
    const made = await eventually(async () => {
      const answer = await this.ask('POST', experiments, planned, this.members());
      return answer.status === 201 && answer.body.data;
    });
    await this.member('PATCH', `${experiments}/${made.id}`, { hypothesis: this.text('better') });
    await this.member('POST', `${experiments}/${made.id}/start`, null);
    await eventually(async () => {
      const session = { session_id: this.text('session'), touch_ids: [this.text('touch')] };
      const answer = await this.page('POST', `${experiments}/assignments`, session);
      return (answer.body.data?.assignments.length ?? 0) > 0;
    });
  }

  /** Before the events, so that they are delivered, to nowhere. */
  private async workflow(): Promise<void> {
    const workflow = await this.member('POST', 'workflows', {
      site_id: this.siteId,
      name: this.text('workflow'),
      trigger: {
        event_types: ['page_view', 'search', 'partner_link_click', 'conversion.purchase'],
        match: 'any',
        conditions: [
          { field: 'site_id', operator: 'exists' },
          { field: 'properties.search', operator: 'eq', value: this.text('condition') },
        ],
      },
      action: { type: 'webhook', url: `https://${this.mark}.invalid/hook` },
    });
    await this.member('PATCH', `workflows/${workflow.id}`, { name: this.text('renamed-workflow') });
  }

  private async settle(): Promise<void> {
    const integration = await this.member('POST', 'integrations', {
      site_id: this.siteId,
      provider: 'awin',
      credentials: { publisher_id: this.text('publisher'), api_token: this.text('api-token') },
      base_url: NOWHERE,
    });
    await this.member('PATCH', `integrations/${integration.id}`, {
      credentials: { publisher_id: this.text('publisher-2'), api_token: this.text('api-token-2') },
    });
    const rows = [
      row({
        provider_transaction_id: this.text('transaction'),
        click_reference: this.text('reference'),
        order_reference: this.text('order-reference'),
      }),
    ];
    const { job_id: jobId } = await this.member('POST', `integrations/${integration.id}/settlements`, {
      rows,
    });
    await eventually(async () => {
      const { state } = await this.member<{ state: string }>('GET', `jobs/${jobId}`);
      return state === 'completed';
    });
  }

  /** Profiles and submissions. */
  private async know(): Promise<void> {
    const profiles = [{ user_id: this.text('customer'), email: `${this.mark}@shop.example` }];
    await this.ok(this.backend('POST', 'profiles/import', { profiles }));
    const content = { layout: 'modal', title: this.text('title') };
    const overlay = { site_id: this.siteId, type: 'overlay', name: this.text('overlay'), content };
    const { id } = await this.member('POST', 'campaigns', overlay);
    const consent = { granted: true, text: this.text('consent') };
    const fields = { note: this.text('field') };
    const submission = { campaign_id: id, session_id: this.text('session'), fields, consent };
    await this.ok(this.page('POST', 'submissions', submission));
  }

  private members(): Headers {
    const workspace = this.workspaceId === '' ? {} : { 'x-workspace-id': this.workspaceId };
    return { authorization: `Bearer ${this.token}`, ...workspace };
  }

  private async member<T = Said>(method: string, path: string, json?: object | null): Promise<T> {
    // The reply is kept under this key, too.
    const keyed = method === 'POST' && { 'idempotency-key': randomUUID() };
    const answer = await this.ask<T>(method, path, json, { ...this.members(), ...keyed });
    expect({ request: `${method} ${path}`, ...(answer.status >= 400 && { answer: answer.text }) }).toEqual({
      request: `${method} ${path}`,
    });
    return answer.body.data as T;
  }

  private backend(method: string, path: string, json: object) {
    return this.ask(method, path, json, { 'x-api-key': this.key });
  }

  private page(method: string, path: string, json: object) {
    return this.ask(method, path, json, { authorization: `Bearer ${this.pageToken}`, origin: this.origin });
  }

  private async ok(asked: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
    const { status, text } = await asked;
    expect(status < 400 ? '' : text).toBe('');
  }

  private ask<T = Said>(method: string, path: string, json: object | null | undefined, headers: Headers) {
    if (JSON.stringify(json ?? '').includes(this.mark)) {
      this.marked.add(`${method} /api/v1/${path.replaceAll(UUID, '{}')}`);
    }
    return request<T>(`${this.product.baseUrl}/${path}`, {
      method,
      headers,
      ...(json !== undefined && method !== 'GET' && { json }),
    });
  }
}
