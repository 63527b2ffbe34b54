import { type Answer, eventually, request } from '@truetally/processes';
import { visitorHeaders } from '../visitor.js';

const WAIT_MS = 60_000;

export interface ShopPlace {
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly siteId: string;
  readonly origin: string;
  readonly ownerToken: string;
  readonly apiKey: string;
}

/** The second shop as its owner, its backend and its pages call the product. A refusal is thrown, with the answer. */
export class ShopClient {
  private constructor(
    readonly place: ShopPlace,
    private readonly visitor: Readonly<Record<string, string>>,
  ) {}

  static async open(place: ShopPlace): Promise<ShopClient> {
    return new ShopClient(place, await visitorHeaders(place.baseUrl, place));
  }

  get siteId(): string {
    return this.place.siteId;
  }

  owner<T>(path: string, json?: object, method?: string): Promise<T> {
    return this.call(path, ownerHeaders(this.place), json, method);
  }

  /** A file or a table, as it is. */
  async upload<T>(path: string, body: Uint8Array<ArrayBuffer> | string, contentType: string): Promise<T> {
    const headers = { ...ownerHeaders(this.place), 'content-type': contentType };
    return dataOf(path, await request<T>(`${this.place.baseUrl}/${path}`, { headers, body }));
  }

  backend<T>(path: string, json: object): Promise<T> {
    return this.call(path, { 'x-api-key': this.place.apiKey }, json);
  }

  page<T>(path: string, json: object): Promise<T> {
    return this.call(path, this.visitor, json);
  }

  /** The answer as it is, also a refusal. */
  track(json: object): Promise<Answer<{ readonly event_id: string }>> {
    return request(`${this.place.baseUrl}/events/track`, {
      headers: { 'x-api-key': this.place.apiKey },
      json,
    });
  }

  until<T>(
    what: string,
    condition: () => Promise<T>,
  ): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
    return eventually(condition, { message: what, timeoutMs: WAIT_MS });
  }

  async untilDone(jobId: string): Promise<{ readonly stored: number; readonly failed: number }> {
    return this.until('the job to end', async () => {
      const job = await this.owner<{ stored: number; failed: number; finished_at: string | null }>(
        `jobs/${jobId}`,
      );
      return job.finished_at !== null && job;
    });
  }

  private async call<T>(
    path: string,
    headers: Readonly<Record<string, string>>,
    json?: object,
    method?: string,
  ): Promise<T> {
    const options = { headers, ...(json && { json }), ...(method !== undefined && { method }) };
    return dataOf(path, await request<T>(`${this.place.baseUrl}/${path}`, options));
  }
}

export function ownerHeaders({
  ownerToken,
  workspaceId,
}: Pick<ShopPlace, 'ownerToken' | 'workspaceId'>): Record<string, string> {
  return { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': workspaceId };
}

/** @throws Error with the answer, if it is a refusal */
export function dataOf<T>(path: string, { status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`${path} was answered ${status}: ${text}`);
  return body.data;
}

/** Calls `work` for every item, at most `atOnce` at a time, in their order. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

/** Pieces of at most `size`. */
export function pieces<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}
