import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, request } from '@truetally/processes';
import { Pauses } from './pauses.js';

interface Stored {
  readonly event_id: string;
  readonly timestamp: string;
  readonly deduplicated?: boolean;
}

interface BatchAnswer {
  readonly results: readonly (Stored & { readonly status: string })[];
}

/** The answers to one event, over all attempts. */
export interface Told {
  readonly eventIds: Set<string>;
  readonly timestamps: Set<string>;
  timesNew: number;
  timesDuplicate: number;
}

const ATTEMPT_TIMEOUT_MS = 15_000;
/** As an answer with Retry-After asks for: meanwhile the processors work on what is to recover. */
const RETRY_PAUSE_MS = 1_000;
/** Of each client between its requests. */
const PAUSE_MS = 2_000;
const EVENTS_PER_BATCH = 5;
const MAX_ATTEMPTS = 600;

/**
 * Shops that send events and retry as the interface page requires: the same `client_event_id`, only on 5xx
 * and network failures, until each event is answered. Every third event is sent again although it was
 * answered.
 */
export class ShopLoad {
  /** By client_event_id. */
  readonly told = new Map<string, Told>();
  /** Answers that no well-behaved client may ever get. */
  readonly unexpected: string[] = [];
  private readonly pauses = new Pauses(PAUSE_MS);
  private isStopping = false;
  private sequence = 0;
  private readonly clients: Promise<void>[];

  constructor(
    private readonly baseUrls: () => readonly string[],
    private readonly apiKey: string,
    clients: number,
  ) {
    this.clients = Array.from({ length: clients }, (_, index) => this.run(index));
  }

  get answered(): number {
    return this.told.size;
  }

  /** Waits for so many more events to be answered. */
  async more(count: number): Promise<void> {
    const wanted = this.answered + count;
    await this.pauses.until(() => this.answered >= wanted, {
      message: () => `${wanted} answered events; unexpected: ${this.unexpected.slice(0, 3).join('; ')}`,
    });
  }

  /** Lets every client finish its current request. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.pauses.stop();
    await Promise.all(this.clients);
  }

  private async run(client: number): Promise<void> {
    while (!this.isStopping) {
      const n = this.sequence++;
      const sendOnce = (): Promise<void> => (client % 2 === 0 ? this.single(n) : this.batch(n));
      await sendOnce();
      if (n % 3 === 0) await sendOnce();
      await this.pauses.pause();
    }
  }

  private async single(n: number): Promise<void> {
    const id = `single-${n}`;
    const answer = await this.untilAnswered<Stored>('track', event(id));
    if (answer?.body.data !== undefined) this.note(id, answer.body.data);
  }

  private async batch(n: number): Promise<void> {
    const ids = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => `batch-${n}-${index}`);
    const answer = await this.untilAnswered<BatchAnswer>('batch', { events: ids.map(event) });
    answer?.body.data?.results.forEach((result, index) => this.note(ids[index] ?? '', result));
  }

  private note(id: string, { event_id, timestamp, deduplicated }: Stored): void {
    const told = this.told.get(id) ?? {
      eventIds: new Set<string>(),
      timestamps: new Set<string>(),
      timesNew: 0,
      timesDuplicate: 0,
    };
    told.eventIds.add(event_id);
    told.timestamps.add(timestamp);
    if (deduplicated === true) told.timesDuplicate++;
    else told.timesNew++;
    this.told.set(id, told);
  }

  private async untilAnswered<T>(route: string, json: object): Promise<Answer<T> | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const urls = this.baseUrls();
      const url = `${urls[attempt % urls.length] ?? ''}/events/${route}`;
      try {
        const headers = { 'x-api-key': this.apiKey };
        const answer = await request<T>(url, { json, headers, timeoutMs: ATTEMPT_TIMEOUT_MS });
        if (answer.status === 200 || answer.status === 201) return answer;
        if (answer.status !== 503 || answer.headers.get('retry-after') === null) {
          this.unexpected.push(`${answer.status} ${answer.text}`);
          return undefined;
        }
      } catch {
        // The outcome of an interrupted request is unknown: the same event is sent again.
      }
      await pause(RETRY_PAUSE_MS);
    }
    this.unexpected.push(`${route} was not answered in ${MAX_ATTEMPTS} attempts`);
    return undefined;
  }
}

function event(id: string): object {
  return {
    event_type: 'product_view',
    session_id: 'faults',
    client_event_id: id,
    properties: { product_id: 'SKU-1' },
    context: {
      page_url: 'https://shop.example/sku-1',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    },
  };
}
