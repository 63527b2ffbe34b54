import { expect } from '@jest/globals';
import { type Answer, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import type { Merchant } from '../merchant.js';
import { ORIGIN } from '../touch-page.js';
import { AnswerSchemas } from './answer-schemas.js';
import { ExampleBook } from './example-book.js';

const FIRST_REFUSAL = 400;
const NOT_MODIFIED = 304;

type Headers = Readonly<Record<string, string>>;

export interface Sending {
  readonly json?: unknown;
  /** Instead of JSON. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Headers;
}

export interface Answered<T> {
  readonly status: number;
  readonly data: T;
  /** Of a refusal. */
  readonly details: Readonly<Record<string, readonly string[]>>;
  readonly headers: globalThis.Headers;
}

/** Fields of answers that tests read; each answer's class says which it has. */
export interface AnyData {
  readonly id: string;
  readonly job_id: string;
  readonly token: string;
  readonly key: string;
  readonly items: readonly AnyData[];
  readonly next_cursor: string | null;
  readonly state: string;
  readonly request_id: string | null;
  readonly assignments: readonly unknown[];
}

export function membersHeaders({ token, workspaceId }: Pick<Merchant, 'token' | 'workspaceId'>): Headers {
  return { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
}

export function pageHeaders({ token }: { readonly token: string }) {
  return { authorization: `Bearer ${token}`, origin: ORIGIN };
}

/** Sends requests, and compares every answer with the declaration of its route. */
export class AnswerWalk {
  /** Routes with the answered statuses. */
  readonly seen = new Set<string>();
  readonly book = new ExampleBook();

  private constructor(
    readonly product: Product,
    readonly schemas: AnswerSchemas,
  ) {}

  static async open(product: Product): Promise<AnswerWalk> {
    return new AnswerWalk(product, await AnswerSchemas.open());
  }

  /** @param path below `/api/v1`, or `/admin/…` and `/openapi.json` below `/api`, or `/sdk/…` */
  async send<T = AnyData>(method: string, path: string, sending: Sending = {}): Promise<Answered<T>> {
    const { baseUrl, adminUrl } = this.product;
    const absolute = path.startsWith('/sdk/') ? path : `/api${path}`;
    const url = path.startsWith('/') ? new URL(absolute, adminUrl).href : `${baseUrl}/${path}`;
    const { json, body, headers = {} } = sending;
    const answer = await request<T>(url, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...((json ?? body) !== undefined && { body: json === undefined ? body : JSON.stringify(json) }),
    });
    const { status, text } = answer;
    const contentType = answer.headers.get('content-type') ?? '';
    const received = { status, contentType, body: contentType.includes('json') ? JSON.parse(text) : text };
    const { name, faults } = this.schemas.judge(method, new URL(url).pathname, received);
    expect({ name, faults }).toEqual({ name, faults: [] });
    this.seen.add(name);
    const { data, error } = answer.body;
    if (status < FIRST_REFUSAL && status !== NOT_MODIFIED) this.note(method, new URL(url), sending, answer);
    return { status, data: data as T, details: error?.details ?? {}, headers: answer.headers };
  }

  private note(method: string, url: URL, { json }: Sending, { status, body }: Answer<unknown>): void {
    const { route, params } = this.schemas.routeAt(method, url.pathname);
    const query = Object.fromEntries(url.searchParams);
    const form = route.answers?.[status];
    const isDescribed = (data: unknown): boolean =>
      form !== undefined && JSON.stringify(this.schemas.faultsOfData(form, data)) === '[]';
    this.book.note(route, { params, query, body: json }, { status, data: body.data }, isDescribed);
  }

  /** The same for a request that must succeed. */
  async succeed<T = AnyData>(method: string, path: string, sending: Sending = {}): Promise<T> {
    const { status, data } = await this.send<T>(method, path, sending);
    expect({ request: `${method} ${path}`, isSuccess: status < 400 }).toEqual({
      request: `${method} ${path}`,
      isSuccess: true,
    });
    return data;
  }

  admin<T = AnyData>(method: string, path: string, json?: unknown): Promise<T> {
    const headers = { authorization: `Bearer ${this.product.adminSecret}` };
    return this.succeed(method, `/admin/${path}`, { headers, ...(json !== undefined && { json }) });
  }
}
