import { Truetally } from '@truetally/node';
import { eventually } from '@truetally/testing';

const NEWS_TIMEOUT_MS = 300_000;

/** A shop's backend with the published client, which is told nothing of what happens to the service. */
export class ClientLoad {
  /** Events by what became of them. */
  readonly outcomes = { stored: 0, duplicate: 0, failed: 0 };
  readonly ids: readonly string[];
  readonly finished: Promise<void>;

  constructor(baseUrl: string, apiKey: string, count: number) {
    this.ids = Array.from({ length: count }, (_, index) => `client-${index}`);
    this.finished = this.run(
      new Truetally({ baseUrl, apiKey, maxQueuedEvents: 20_000, closeOnSignals: false }),
    );
  }

  /** Returns when at least so many events are settled. */
  async until(settled: number): Promise<void> {
    const sum = (): number => Object.values(this.outcomes).reduce((total, count) => total + count, 0);
    await eventually(() => sum() >= settled, {
      timeoutMs: NEWS_TIMEOUT_MS,
      message: () => `${settled} settled events; ${sum()} so far`,
    });
  }

  private async run(client: Truetally): Promise<void> {
    const context = { page_url: 'https://shop.example/', user_agent: 'shop backend' };
    const results: Promise<void>[] = [];
    for (const id of this.ids) {
      await client.ready();
      const sent = client.track({ event_type: 'page_view', session_id: 's', client_event_id: id, context });
      results.push(sent.then(({ status }) => void (this.outcomes[status] += 1)));
    }
    await Promise.all(results);
    await client.close();
  }
}
