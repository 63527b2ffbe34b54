import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import type { CampaignResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { FilledSite, ORIGIN } from './filled-site.js';
import { Merchant } from './merchant.js';

/** A site with a campaign, its backend, its page, and two members of its workspace. */
export class PeopleShop {
  private constructor(
    private readonly product: Product,
    readonly merchant: Merchant,
    readonly analyst: Merchant,
    private readonly filled: FilledSite,
    readonly campaign: CampaignResource,
  ) {}

  static async open(product: Product): Promise<PeopleShop> {
    const merchant = await Merchant.join(product);
    const analyst = await merchant.invite('analyst');
    const filled = await FilledSite.open(product, merchant);
    const content = { layout: 'modal', title: 'Hi' };
    const body = { site_id: filled.site.id, type: 'overlay', name: 'News', content };
    const campaign = await merchant.post<CampaignResource>('campaigns', body);
    return new PeopleShop(product, merchant, analyst, filled, campaign.body.data as CampaignResource);
  }

  get siteId(): string {
    return this.filled.site.id;
  }

  backend<T>(method: string, path: string, json?: object): Promise<Answer<T>> {
    const headers = { 'x-api-key': this.filled.apiKey };
    return request(`${this.product.baseUrl}/${path}`, { method, headers, ...(json && { json }) });
  }

  /** @param body JSON, with gzip */
  compressed(path: string, body: Buffer): Promise<Answer<unknown>> {
    const headers = {
      'x-api-key': this.filled.apiKey,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    return request(`${this.product.baseUrl}/${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
  }

  page<T>(path: string, json: object, more: Readonly<Record<string, string>> = {}): Promise<Answer<T>> {
    const headers = { authorization: `Bearer ${this.filled.runtimeToken}`, origin: ORIGIN, ...more };
    return request(`${this.product.baseUrl}/${path}`, { method: 'POST', json, headers });
  }

  submission(changes: object = {}) {
    return {
      campaign_id: this.campaign.id,
      session_id: randomUUID(),
      fields: { email: 'ann@shop.example', newsletter: true },
      consent: { granted: true, text: 'Send me news.', at: '2026-01-31T10:30:00+01:00' },
      ...changes,
    };
  }

  /** The job when it has ended. */
  finished(jobId: string): Promise<JobResource> {
    return eventually(
      async () => {
        const { data } = (await this.merchant.get<JobResource>(`jobs/${jobId}`)).body;
        return data?.finished_at == null ? undefined : data;
      },
      { message: `job ${jobId} to end` },
    );
  }

  async imported(profiles: readonly object[]): Promise<JobResource> {
    const begun = await this.backend<{ job_id: string }>('POST', 'profiles/import', { profiles });
    expect([begun.status, begun.body.error]).toEqual([202, undefined]);
    return this.finished(String(begun.body.data?.job_id));
  }

  profilePath(userId: string): string {
    return `profiles/${encodeURIComponent(userId)}?site_id=${this.siteId}`;
  }
}
