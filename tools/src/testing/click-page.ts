import { randomUUID } from 'node:crypto';
import { type TouchVerdict } from '@truetally/contracts/attribution';
import { type SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { Pauses, type Product } from '@truetally/testing-product';

export const ORIGIN = 'https://shop.example';
/** Of each page: a rotation finds some of the pages at every moment. */
const PAUSE_MS = 1_000;

export interface ClickPage {
  readonly site: SiteResource;
  readonly token: string;
  /** All answers, with their headers. */
  readonly answers: string[];
  send(body: unknown, options?: SendOptions): Promise<Answer<Recorded>>;
}

export interface Recorded {
  readonly touches: readonly TouchVerdict[];
}

export interface SendOptions {
  readonly gateway?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its credential is in the body. */
  readonly isBeacon?: boolean;
  readonly query?: string;
}

/** A storefront's page that sends touches, and keeps every answer. */
export async function openClickPage(product: Product): Promise<ClickPage> {
  const site = await product.createSite({ allowed_origins: [ORIGIN] });
  const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
    json: { site_id: site.id },
    headers: { origin: ORIGIN },
  });
  const token = String(issued.body.data?.token);
  const answers: string[] = [];
  const send = async (
    body: unknown,
    { gateway = 0, headers = {}, isBeacon = false, query = '' }: SendOptions = {},
  ): Promise<Answer<Recorded>> => {
    const url = `${product.gateways[gateway]?.baseUrl ?? ''}/partner-attribution/touches${query}`;
    const answer = await request<Recorded>(url, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        origin: ORIGIN,
        ...(isBeacon
          ? { 'content-type': 'text/plain;charset=UTF-8' }
          : { 'content-type': 'application/json', authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    answers.push(`${JSON.stringify([...answer.headers])} ${answer.text}`);
    return answer;
  };
  return { site, token, answers, send };
}

export function clickTouch(value: unknown, changes: object = {}): Readonly<Record<string, unknown>> {
  return {
    schema_version: 1,
    touch_id: randomUUID(),
    provider: 'awin',
    direction: 'inbound',
    provider_click_id: value,
    landing_path: '/',
    occurred_at: '2026-01-31T09:30:00.000Z',
    provenance: 'browser_sdk',
    ...changes,
  };
}

/** Pages that send touches continuously, each of them twice, until they are stopped. */
export class TouchLoad {
  /** Sent and answered 201, by touch id. */
  readonly values = new Map<string, string>();
  /** Values that no answer to a page may contain. */
  readonly unexpected: string[] = [];
  private readonly pauses = new Pauses(PAUSE_MS);
  private isStopping = false;
  private readonly pages: Promise<void>[];

  constructor(
    private readonly page: ClickPage,
    private readonly prefix: string,
    pages: number,
    private readonly gateways: number,
  ) {
    this.pages = Array.from({ length: pages }, (_, index) => this.run(index));
  }

  /** Waits for so many more touches to be answered. */
  async more(count: number): Promise<void> {
    const wanted = this.values.size + count;
    await this.pauses.until(() => this.values.size >= wanted, { message: 'pages to send' });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.pauses.stop();
    await Promise.all(this.pages);
  }

  private async run(index: number): Promise<void> {
    for (let n = 0; !this.isStopping; n += 1) {
      const value = `${this.prefix}-${index}-${n}`;
      const touch = clickTouch(value);
      const first = await this.page.send({ touches: [touch] }, { gateway: (index + n) % this.gateways });
      const again = await this.page.send({ touches: [touch] }, { gateway: (index + n + 1) % this.gateways });
      const isTrue = first.status === 201 && again.status === 200 && isUnchanged(first, again);
      if (isTrue) this.values.set(String(touch['touch_id']), value);
      else this.unexpected.push(`${first.text} ${again.text}`);
      await this.pauses.pause();
    }
  }
}

function isUnchanged(first: Answer<Recorded>, again: Answer<Recorded>): boolean {
  const [one, other] = [first.body.data?.touches[0], again.body.data?.touches[0]];
  return one?.id === other?.id && one?.recorded_at === other?.recorded_at && other?.status === 'unchanged';
}
