import { Truetally } from '@truetally/node';
import { Pauses } from '@truetally/testing-product';

const NEWS_TIMEOUT_MS = 300_000;
/** Of the backend between its requests. */
const PAUSE_MS = 1_000;
const EVENTS_PER_REQUEST = 5;

/** A shop's backend with the published client, which is told nothing of what happens to the service. */
export class ClientLoad {
  /** Events by what became of them. */
  readonly outcomes = { stored: 0, duplicate: 0, failed: 0 };
  readonly ids: string[] = [];
  private readonly pauses = new Pauses(PAUSE_MS);
  private isStopping = false;
  private readonly finished: Promise<void>;

  constructor(baseUrl: string, apiKey: string) {
    this.finished = this.run(
      new Truetally({ baseUrl, apiKey, maxQueuedEvents: 20_000, closeOnSignals: false }),
    );
  }

  /** Returns when so many more events are settled. */
  async more(count: number): Promise<void> {
    const wanted = this.settled + count;
    await this.pauses.until(() => this.settled >= wanted, {
      timeoutMs: NEWS_TIMEOUT_MS,
      message: () => `${wanted} settled events; ${this.settled} so far`,
    });
  }

  /** Returns when every event is settled. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.pauses.stop();
    await this.finished;
  }

  private get settled(): number {
    return Object.values(this.outcomes).reduce((total, count) => total + count, 0);
  }

  private async run(client: Truetally): Promise<void> {
    const context = { page_url: 'https://shop.example/', user_agent: 'shop backend' };
    const results: Promise<void>[] = [];
    while (!this.isStopping) {
      for (let n = 0; n < EVENTS_PER_REQUEST; n += 1) {
        const id = `client-${this.ids.length}`;
        this.ids.push(id);
        await client.ready();
        const sent = client.track({ event_type: 'page_view', session_id: 's', client_event_id: id, context });
        results.push(sent.then(({ status }) => void (this.outcomes[status] += 1)));
      }
      await this.pauses.pause();
    }
    await Promise.all(results);
    await client.close();
  }
}
