import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';

const ORIGIN = 'https://shop.example';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';

export interface SentEvent {
  readonly type: string;
  readonly session: string;
  /** ISO 8601. */
  readonly at: string;
  readonly properties?: object;
}

type Site = Awaited<ReturnType<Product['createSite']>>;

/** A site of a workspace of its own, which a person of the local issuer owns. */
export class Shop {
  private constructor(
    private readonly product: Product,
    readonly site: Site,
    private readonly key: string,
    private readonly owner: string,
  ) {}

  static async open(product: Product, owner: string): Promise<Shop> {
    const workspace = await product.asks.createWorkspace({
      name: `Screens ${randomUUID()}`,
      owner_sub: owner,
    });
    const site = await product.asks.createSite({
      workspace_id: workspace.id,
      name: 'Shop of the screens',
      domain: 'shop.example',
      allowed_origins: [ORIGIN],
      timezone: 'Europe/Berlin',
    });
    const { key } = await product.createApiKey(site);
    return new Shop(product, site, key, owner);
  }

  get workspaceId(): string {
    return this.site.workspace_id;
  }

  /** As lists of keys name the site's own one. */
  get keyPrefix(): string {
    return this.key.split('_')[1] ?? '';
  }

  async send(events: readonly SentEvent[]): Promise<void> {
    const answer = await request(`${this.product.baseUrl}/events/batch`, {
      headers: { 'x-api-key': this.key },
      json: {
        events: events.map(({ type, session, at, properties = {} }) => ({
          event_type: type,
          session_id: session,
          client_event_id: randomUUID(),
          occurred_at: at,
          properties,
          context: { page_url: `https://shop.example/${type}`, user_agent: BROWSER },
        })),
      },
    });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  }

  /** Items as they are, also such as are refused; the request has this id. */
  async sendAs(requestId: string, events: readonly object[]): Promise<number> {
    const answer = await request(`${this.product.baseUrl}/events/batch`, {
      headers: { 'x-api-key': this.key, 'x-request-id': requestId },
      json: { events },
    });
    return answer.status;
  }

  async convert(conversion: object): Promise<void> {
    const url = `${this.product.baseUrl}/partner-attribution/conversions`;
    const answer = await request(url, { headers: { 'x-api-key': this.key }, json: conversion });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  }

  /** `data` of a read with the site's key. */
  async read<T>(path: string): Promise<T | undefined> {
    const answer = await request<T>(`${this.product.baseUrl}/${path}`, {
      headers: { 'x-api-key': this.key },
    });
    return answer.body.data;
  }

  /** `data` of a creation by the owner, or of what `method` says. */
  async ask<T>(path: string, json: object | undefined, method?: 'GET' | 'PATCH' | 'DELETE'): Promise<T> {
    const token = await this.product.idToken({ sub: this.owner });
    const answer = await request<T>(`${this.product.baseUrl}/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'x-workspace-id': this.workspaceId },
      ...(json !== undefined && { json }),
      ...(method !== undefined && { method }),
    });
    if (answer.body.data === undefined) throw new Error(answer.text);
    return answer.body.data;
  }

  async runtimeToken(): Promise<string> {
    const answer = await request<{ readonly token: string }>(`${this.product.baseUrl}/runtime/tokens`, {
      headers: { origin: ORIGIN },
      json: { site_id: this.site.id },
    });
    if (answer.body.data === undefined) throw new Error(answer.text);
    return answer.body.data.token;
  }

  /** `data` of what a page of the shop sends. */
  async fromPage<T>(token: string, path: string, json: object): Promise<T | undefined> {
    const headers = { origin: ORIGIN, authorization: `Bearer ${token}` };
    const answer = await request<T>(`${this.product.baseUrl}/${path}`, { headers, json });
    return answer.body.data;
  }
}
