import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SiteResource } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/processes';
import { type LaunchedProduct, Pauses } from '@truetally/testing-product';

const SESSIONS = 4;
const SOME_EVENTS = 8;
const ATTEMPT_TIMEOUT_MS = 15_000;
/** As an answer with Retry-After asks for. */
const RETRY_PAUSE_MS = 1_000;
/** Of each session between its events. */
const PAUSE_MS = 2_000;
/** A delivery that was under way when its sender was killed waits for the end of its lease, and its session with it. */
const PATIENCE = { timeoutMs: 120_000 };

interface Told {
  readonly data: { readonly event_id: string; readonly session_id: string; readonly client_event_id: string };
}

/** A backend whose sessions send event after event, and the merchant's receiver of their webhooks. */
export class WebhookLoad {
  private readonly sentOf = new Map<string, string[]>();
  private readonly arrivedOf = new Map<string, string[]>();
  private readonly told = new Map<string, Told['data']>();
  private readonly pauses = new Pauses(PAUSE_MS);
  private isStopping = false;
  private sessions: Promise<void>[] = [];

  private constructor(
    private readonly server: Server,
    private readonly baseUrl: () => string,
    private readonly apiKey: string,
  ) {}

  static async begin(product: LaunchedProduct, site: SiteResource): Promise<WebhookLoad> {
    const server = createServer((message, response) => {
      void load.receive(message).then(() => response.end());
    });
    const { key } = await product.createApiKey(site);
    const load = new WebhookLoad(server, () => product.baseUrl, key);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const sub = 'merchant-of-webhooks';
    await product.asks.addMember({ workspace_id: site.workspace_id, sub, role: 'admin' });
    const authorization = `Bearer ${await product.idToken({ sub })}`;
    await eventually(async () => {
      const answer = await request(`${product.baseUrl}/workflows`, {
        headers: { authorization },
        json: {
          site_id: site.id,
          name: 'Tell my CRM',
          trigger: { event_types: ['search'] },
          action: { type: 'webhook', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
        },
      });
      return answer.status === 201;
    });
    load.sessions = Array.from({ length: SESSIONS }, (_, n) => load.run(`webhooks-${n}`));
    return load;
  }

  /** What was sent and answered, and never arrived. */
  missing(): readonly string[] {
    return [...this.sentOf].flatMap(([session, ids]) =>
      ids.filter((id) => !this.arrivedOf.get(session)?.includes(id)),
    );
  }

  /** What arrived of each session, in the order of first arrivals. */
  arrived(): object {
    return Object.fromEntries(this.arrivedOf);
  }

  /** Of each session the same that arrived, in the order of these event ids. */
  inOrderOf(eventIds: readonly string[]): object {
    const ordered = new Map<string, string[]>([...this.arrivedOf.keys()].map((session) => [session, []]));
    for (const { session_id, client_event_id } of eventIds.flatMap((id) => this.told.get(id) ?? [])) {
      ordered.get(session_id)?.push(client_event_id);
    }
    return Object.fromEntries(ordered);
  }

  /** Sends some more, and waits until as many have arrived. */
  async more(): Promise<void> {
    const wanted = this.count(this.arrivedOf) + SOME_EVENTS;
    await this.moreSent();
    await eventually(() => this.count(this.arrivedOf) >= wanted, {
      ...PATIENCE,
      message: `${SOME_EVENTS} more webhooks`,
    });
  }

  /** Waits until the events of some more have been answered: without their sender, they queue. */
  async moreSent(): Promise<void> {
    const wanted = this.count(this.sentOf) + SOME_EVENTS;
    const message = `${SOME_EVENTS} more events`;
    await this.pauses.until(() => this.count(this.sentOf) >= wanted, { ...PATIENCE, message });
  }

  /** Resolves when all that was sent has arrived. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.pauses.stop();
    await Promise.all(this.sessions);
    await eventually(() => this.count(this.arrivedOf) >= this.count(this.sentOf), {
      ...PATIENCE,
      message: () => `${this.count(this.sentOf)} webhooks; ${this.count(this.arrivedOf)} have arrived`,
    });
    this.server.closeAllConnections();
    this.server.close();
  }

  private async run(session: string): Promise<void> {
    for (let n = 0; !this.isStopping; n += 1) {
      const id = `${session}-${n}`;
      await this.send(session, id);
      listOf(this.sentOf, session).push(id);
      await this.pauses.pause();
    }
  }

  /**
   * The same event again until it is answered. One that had to be repeated may become a fact after the next ones: the
   * retry is answered by the row, whose fact follows when the broken request is read again.
   */
  private async send(session: string, id: string): Promise<void> {
    const context = { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' };
    const event = { event_type: 'search', properties: { query: 'jumper' }, context };
    for (;;) {
      const answer = await request(`${this.baseUrl()}/events/track`, {
        headers: { 'x-api-key': this.apiKey },
        json: { ...event, session_id: session, client_event_id: id },
        timeoutMs: ATTEMPT_TIMEOUT_MS,
      }).catch(() => undefined);
      if (answer?.status === 201 || answer?.status === 200) return;
      await pause(RETRY_PAUSE_MS);
    }
  }

  private async receive(message: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { data } = JSON.parse(body) as Told;
    const { session_id, client_event_id } = data;
    this.told.set(data.event_id, data);
    const arrived = listOf(this.arrivedOf, session_id);
    if (!arrived.includes(client_event_id)) arrived.push(client_event_id);
  }

  private count(lists: ReadonlyMap<string, readonly string[]>): number {
    return [...lists.values()].reduce((sum, list) => sum + list.length, 0);
  }
}

function listOf(lists: Map<string, string[]>, session: string): string[] {
  const list = lists.get(session) ?? [];
  lists.set(session, list);
  return list;
}
