import { randomUUID } from 'node:crypto';
import type { JobResource } from '@truetally/contracts/jobs';
import type { IntegrationResource, SiteResource } from '@truetally/contracts/management';
import type { PublisherReport, SettlementResource } from '@truetally/contracts/publisher';
import { type Answer, eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { Merchant } from '../merchant.js';

export interface ClickFields {
  readonly reference: string;
  readonly at: string;
  readonly provider?: string;
  readonly content?: string;
  readonly destination?: string;
  readonly clientEventId?: string;
  readonly userAgent?: string;
}

export type RowFields = Readonly<Record<string, unknown>>;

/** An unreachable address, so that no real network is pulled from. */
const NOWHERE = 'http://127.0.0.1:1';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';

/** A publisher with a site in active publisher mode, its backend's key and an integration with each network. */
export class Publisher {
  private constructor(
    readonly product: Product,
    readonly owner: Merchant,
    readonly site: SiteResource,
    readonly key: string,
    readonly integrations: Readonly<Record<'awin' | 'cj', string>>,
  ) {}

  static async open(product: Product, settings: Readonly<Record<string, unknown>> = {}): Promise<Publisher> {
    const owner = await Merchant.join(product);
    const created = await owner.post<SiteResource>('sites', {
      name: 'Magazine',
      domain: 'magazine.example',
      allowed_origins: ['https://magazine.example'],
      publisher_mode: 'active',
      ...settings,
    });
    const site = dataOf(created);
    const integrate = async (provider: string): Promise<string> => {
      const body = {
        site_id: site.id,
        provider,
        credentials: { publisher_id: '1', api_token: 'token' },
        base_url: NOWHERE,
      };
      return dataOf(await owner.post<IntegrationResource>('integrations', body)).id;
    };
    const [awin, cj] = [await integrate('awin'), await integrate('cj')];
    const { key } = await product.createApiKey(site);
    return new Publisher(product, owner, site, key, { awin, cj });
  }

  /** A click on a partner's link, reported by the site's backend. */
  click(said: ClickFields): Promise<Answer<{ event_id: string; deduplicated?: boolean }>> {
    return request(`${this.product.baseUrl}/events/track`, {
      headers: { 'x-api-key': this.key },
      json: this.clickEvent(said),
    });
  }

  clickEvent({ reference, at, ...said }: ClickFields): object {
    return {
      event_type: 'partner_link_click',
      session_id: 'session-1',
      client_event_id: said.clientEventId ?? randomUUID(),
      occurred_at: at,
      properties: {
        provider: said.provider ?? 'awin',
        click_reference: reference,
        destination_url: said.destination ?? 'https://partner.example/shoes?ref=secret#top',
        ...(said.content === undefined ? {} : { content_id: said.content }),
        campaign_id: 'spring',
      },
      context: { page_url: 'https://magazine.example/guide', user_agent: said.userAgent ?? BROWSER },
    };
  }

  upload(
    network: 'awin' | 'cj',
    body: string | Uint8Array<ArrayBuffer> | { readonly rows: readonly unknown[] },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<{ job_id: string }>> {
    const isFile = typeof body === 'string' || body instanceof Uint8Array;
    return request(`${this.product.baseUrl}/integrations/${this.integrations[network]}/settlements`, {
      method: 'POST',
      headers: {
        ...this.bearer(),
        'content-type': isFile ? 'text/csv' : 'application/json',
        ...headers,
      },
      body: isFile ? body : JSON.stringify(body),
    });
  }

  /** Uploads rows and waits until they are imported. */
  async settle(network: 'awin' | 'cj', rows: readonly RowFields[]): Promise<JobResource> {
    return this.finished(dataOf(await this.upload(network, { rows })).job_id);
  }

  finished(jobId: string): Promise<JobResource> {
    return eventually(
      async () => {
        const job = await this.owner.get<JobResource>(`jobs/${jobId}`);
        return job.body.data?.finished_at == null ? undefined : job.body.data;
      },
      { message: `the job ${jobId} to be finished` },
    );
  }

  report(
    query: Readonly<Record<string, string>>,
    as: Merchant = this.owner,
  ): Promise<Answer<PublisherReport>> {
    const parameters = new URLSearchParams({ site_id: this.site.id, ...query });
    return as.get(`analytics/publishers?${parameters.toString()}`);
  }

  /** Waits for the expected report: facts take a moment. */
  reportWhen(
    query: Readonly<Record<string, string>>,
    isThere: (report: PublisherReport) => boolean,
  ): Promise<PublisherReport> {
    let last = '';
    return eventually(
      async () => {
        const { body, text } = await this.report(query);
        last = text;
        return body.data !== undefined && isThere(body.data) ? body.data : undefined;
      },
      { message: () => `the report to become another one than ${last}` },
    );
  }

  async settlements(network: 'awin' | 'cj'): Promise<readonly SettlementResource[]> {
    const path = `integrations/${this.integrations[network]}/settlements?limit=200`;
    return dataOf(await this.owner.get<{ items: readonly SettlementResource[] }>(path)).items;
  }

  bearer(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.owner.token}`, 'x-workspace-id': this.owner.workspaceId };
  }
}

/** A valid row. */
export function row(said: RowFields = {}): RowFields {
  return {
    provider_transaction_id: randomUUID(),
    status: 'pending',
    commissionable_amount: '100.00',
    commission_amount: '5.00',
    currency: 'EUR',
    transaction_at: '2026-03-10T12:00:00Z',
    updated_at: '2026-03-10T12:00:00Z',
    ...said,
  };
}

export function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The answer was ${status}: ${text}`);
  return body.data;
}

/** The owner of another workspace. */
export function outsiderOf(product: Product): Promise<Merchant> {
  return Merchant.join(product);
}
