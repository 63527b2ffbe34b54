import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobResource } from '@truetally/contracts/jobs';
import type { IntegrationResource, SiteResource } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/processes';
import pg from 'pg';
import type { LoadResult } from './load-job.js';
import { click } from './payload.js';
import { processorTime } from './processor-time.js';
import type { ProductStack } from './product-stack.js';
import { send, type Target } from './scenarios.js';

/** The outcome of one upload. */
export interface Imported {
  /** From the first byte sent to the end of its job. */
  readonly seconds: number;
  /** Until the answer. */
  readonly acceptedSeconds: number;
  readonly job: JobResource;
}

/** Never resolves (RFC 2606): the benchmark calls no network. */
const NOWHERE = 'https://awin.invalid';
/** An ask of a lone connection costs all processes 13 ms: asking more often would measure the asking. */
const JOB_POLL_MS = 500;
const PROBE_INTERVAL_MS = 250;
const PROBE_POLL_MS = 10;
const MS_PER_SECOND = 1_000;
const WAIT_MS = 600_000;

/** The stack's site in publisher mode, with an integration for the uploads. */
export class PublisherBench {
  private constructor(
    readonly stack: ProductStack,
    private readonly target: Pick<Target, 'baseUrl' | 'apiKey' | 'processes'>,
    private readonly integrationId: string,
  ) {}

  static async open(stack: ProductStack): Promise<PublisherBench> {
    await ask<SiteResource>(stack, `sites/${stack.siteId}`, 'PATCH', { publisher_mode: 'active' });
    const integration = await ask<IntegrationResource>(stack, 'integrations', 'POST', {
      site_id: stack.siteId,
      provider: 'awin',
      credentials: { publisher_id: '1', api_token: 'bench' },
      base_url: NOWHERE,
    });
    const processes = (): Readonly<Record<string, number>> => stack.now().pids;
    const target = { baseUrl: stack.baseUrl, apiKey: stack.apiKey, processes };
    const bench = new PublisherBench(stack, target, integration.id);
    await bench.untilCounted(await bench.probe());
    return bench;
  }

  /** Clicks or other events, all of them new. */
  load(kind: 'clicks' | 'events', eventsPerRequest: number, connections: number, seconds: number) {
    const payload = { kind, eventsPerRequest, idPrefix: `${kind}-${randomUUID()}` } as const;
    return send(this.target, eventsPerRequest, connections, { seconds, payload });
  }

  /** Processor time of all processes of the product while `work` runs, in microseconds. */
  async spending<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly microseconds: number }> {
    const { result, inAll } = await processorTime(this.target.processes(), work);
    return { result, microseconds: inAll };
  }

  /** Requests with clicks, whose references are `<prefix>-<request in base 36>-<index>`. */
  clicks(prefix: string, eventsPerRequest: number, amount: number): Promise<LoadResult> {
    const payload = { kind: 'clicks', eventsPerRequest, idPrefix: prefix } as const;
    return send(this.target, eventsPerRequest, 16, { amount, payload });
  }

  /** The longest time from the answer of a click until the report counts it, of several clicks while `work` runs. */
  async behindWhile<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly behindMs: number }> {
    let isOver = false;
    const waits: Promise<number>[] = [];
    const probing = (async () => {
      while (!isOver) {
        waits.push(this.untilCounted(await this.probe()));
        await delay(PROBE_INTERVAL_MS);
      }
    })();
    try {
      const result = await work();
      isOver = true;
      await probing;
      return { result, behindMs: Math.max(...(await Promise.all(waits))) };
    } finally {
      isOver = true;
    }
  }

  /** @returns the event's id */
  private async probe(): Promise<string> {
    const answer = await request<{ event_id: string }>(`${this.stack.baseUrl}/events/track`, {
      headers: { 'x-api-key': this.stack.apiKey },
      json: click(`probe-${randomUUID()}`),
    });
    if (answer.body.data === undefined) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body.data.event_id;
  }

  /** The transaction that stores the second of the two changes the sums. */
  private async untilCounted(eventId: string): Promise<number> {
    const answeredAt = performance.now();
    return this.withTables((owner) =>
      eventually(
        async () => {
          const { rows } = await owner.query(
            'select from clicks join click_references using (event_id) where event_id = $1',
            [eventId],
          );
          return rows.length === 1 ? performance.now() - answeredAt : undefined;
        },
        { timeoutMs: WAIT_MS, intervalMs: PROBE_POLL_MS, message: 'a click to be counted' },
      ),
    );
  }

  async import(csv: string): Promise<Imported> {
    const startedAt = performance.now();
    const startedMs = Date.now();
    const headers = { ...bearerOf(this.stack), 'content-type': 'text/csv' };
    const accepted = await request<{ job_id: string }>(
      `${this.stack.baseUrl}/integrations/${this.integrationId}/settlements`,
      { method: 'POST', headers, body: csv },
    );
    const acceptedSeconds = (performance.now() - startedAt) / MS_PER_SECOND;
    const jobId = accepted.body.data?.job_id;
    if (jobId === undefined) throw new Error(`${accepted.status} ${accepted.text}`);
    const job = await eventually(
      async () => {
        const found = await ask<JobResource>(this.stack, `jobs/${jobId}`);
        return found.finished_at === null ? undefined : found;
      },
      { timeoutMs: WAIT_MS, intervalMs: JOB_POLL_MS, message: 'the upload to be taken in' },
    );
    // The product's own time: the job may have ended half a second before it was asked for.
    const endedMs = Date.parse(job.finished_at ?? '');
    return { seconds: (endedMs - startedMs) / MS_PER_SECOND, acceptedSeconds, job };
  }

  /** Latencies in milliseconds, sorted. */
  async askReports(siteId: string, query: string, times: number): Promise<readonly number[]> {
    const path = `analytics/publishers?site_id=${siteId}&${query}`;
    const taken: number[] = [];
    await ask(this.stack, path);
    for (let asked = 0; asked < times; asked += 1) {
      const startedAt = performance.now();
      await ask(this.stack, path);
      taken.push(performance.now() - startedAt);
    }
    return taken.sort((one, other) => one - other);
  }

  /** A new site in active mode, with the time zone UTC. */
  async newSite(): Promise<string> {
    const site = await ask<SiteResource>(this.stack, 'sites', 'POST', {
      name: 'Magazine',
      domain: 'magazine.example',
      allowed_origins: ['https://magazine.example'],
      publisher_mode: 'active',
    });
    return site.id;
  }

  private async withTables<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
    const owner = new pg.Client({
      connectionString: this.stack.databaseUrl,
      options: '-c search_path=publisher_analytics',
    });
    await owner.connect();
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  }
}

async function ask<T>(stack: ProductStack, path: string, method = 'GET', json?: object): Promise<T> {
  const answer = await request<T>(`${stack.baseUrl}/${path}`, {
    method,
    headers: bearerOf(stack),
    ...(json === undefined ? {} : { json }),
  });
  if (answer.body.data === undefined) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data;
}

function bearerOf({ ownerToken, workspaceId }: ProductStack): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': workspaceId };
}
