import { randomUUID } from 'node:crypto';
import type { JobStepReport } from '@truetally/contracts/jobs';
import {
  type FeedAccess,
  type FeedCredentials,
  type FeedRow,
  integrationSealContext,
  MAX_FEED_ROWS,
  type StoredFeedRows,
} from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type Failure, failure, type Reply } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import type { OperationAsker } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { feedRow } from '../domain/feed-row.js';
import type { FeedAddress, FeedClient, OpenFeed } from './feed-client.js';
import { FeedError } from './feed-error.js';
import type { FeedLimits } from './feed-limits.js';
import { readRows } from './read-rows.js';
import { RunOutcomes } from './run-outcomes.js';

export interface FeedRunParts {
  readonly client: Pick<FeedClient, 'fetch'>;
  readonly asker: Pick<OperationAsker, 'ask'>;
  readonly keys: Pick<KeyringFile, 'keyring'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly limits: FeedLimits;
}

/** Which feed is read for which job. */
export interface FeedOfJob {
  readonly jobId: string;
  readonly integrationId: string;
  /** Who answers for it. */
  readonly holder: string;
}

/** Of a message to management: Kafka takes 1 MiB. */
const MESSAGE_BYTES = 524_288;
const STORE_DEADLINE_MS = 15_000;
const RETRY_MS = 500;
const POLL_MS = 25;
/** Rows that break rules cost as much as others, and have no quota. A feed with so many, and fewer good ones, is none of products. */
const MOST_BROKEN_ROWS = 100_000;

/** How a reading ended; undefined while it goes on. */
type End =
  | { readonly kind: 'read' | 'unchanged' }
  | { readonly kind: 'refused'; readonly message: string }
  /** It is begun anew when it is asked for again: while something is away, or as often as a job tries a broken step. */
  | {
      readonly kind: 'given-up';
      readonly code: 'UNAVAILABLE' | 'INTERNAL_ERROR';
      readonly message: string;
    };

/** Reads one feed for one job, and hands its rows to management. It waits while nobody asks how far it is. */
export class FeedRun {
  readonly done: Promise<void>;
  askedAtMs = performance.now();
  private end: End | undefined;
  private readonly outcomes: RunOutcomes;
  /** Of the download that is read. */
  private rows = { stored: 0, failed: 0 };
  private readonly stopping = new AbortController();

  constructor(
    private readonly parts: FeedRunParts,
    readonly feed: FeedOfJob,
    reported: number,
  ) {
    this.outcomes = new RunOutcomes(reported);
    this.done = this.run();
  }

  get hasEnded(): boolean {
    return this.end !== undefined;
  }

  get isGivenUp(): boolean {
    return this.end?.kind === 'given-up';
  }

  stop(): void {
    this.stopping.abort();
  }

  /** What there is to report after so many rows, as soon as there is anything, else after a while. */
  async report(reported: number, waitMs: number): Promise<Reply<JobStepReport>> {
    this.askedAtMs = performance.now();
    if (!this.outcomes.acknowledge(reported))
      return failure('UNAVAILABLE', 'This piece was reported already.');
    const endsAt = performance.now() + waitMs;
    while (this.outcomes.isEmpty && this.end === undefined && performance.now() < endsAt)
      await delay(POLL_MS);
    const { end } = this;
    const report = this.outcomes.report();
    if (end === undefined) return { ok: report };
    if (end.kind === 'given-up') return failure(end.code, end.message);
    if (end.kind !== 'refused') return { ok: { ...report, cursor: null } };
    // What was read before is counted first.
    return this.outcomes.isEmpty ? failure('CONFLICT', end.message) : { ok: report };
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    try {
      this.end = await this.read();
    } catch (error) {
      // What is a client's doing, or passes, is an end: anything else is a fault of ours, which may come each time.
      const isStopped = this.stopping.signal.aborted;
      if (!isStopped)
        this.parts.log.warn(
          { err: error, job: this.feed.jobId },
          'A feed could not be read; it is read again.',
        );
      const code = isStopped ? 'UNAVAILABLE' : 'INTERNAL_ERROR';
      this.end = { kind: 'given-up', code, message: 'The reading of the feed was given up.' };
    }
  }

  private async read(): Promise<End> {
    const { limits } = this.parts;
    for (let attempt = 1; ; attempt += 1) {
      const runId = randomUUID();
      const access = await this.begin(runId);
      if (access === 'gone') return { kind: 'read' };
      if ('kind' in access) return access;
      try {
        return await this.parts.client.fetch(access, this.stopping.signal, (open) => this.take(runId, open));
      } catch (error) {
        if (!(error instanceof FeedError)) throw error;
        if (!error.isTemporary || attempt >= limits.attempts)
          return { kind: 'refused', message: error.message };
        await delay(limits.retryMs * 2 ** (attempt - 1), undefined, { signal: this.stopping.signal });
      }
    }
  }

  private async begin(runId: string): Promise<FeedAddress | End | 'gone'> {
    const { jobId, integrationId } = this.feed;
    const run = { job_id: jobId, integration_id: integrationId, run_id: runId };
    const access = await this.parts.asker.ask(OPERATIONS.beginFeedRun, run);
    if ('ok' in access) return this.opened(access.ok);
    return access.error.code === 'NOT_FOUND' ? 'gone' : endBy(access);
  }

  private opened({ url, credentials, etag, last_modified: lastModified }: FeedAccess): FeedAddress | End {
    const sealed = { keyId: credentials.key_id, sealed: Buffer.from(credentials.sealed, 'base64') };
    const opened = this.parts.keys.keyring.open(sealed, integrationSealContext(this.feed.integrationId));
    if (!opened.ok) return { kind: 'refused', message: SEALED };
    // As sealed by the gateway.
    const { username, password } = JSON.parse(opened.value) as FeedCredentials;
    return { url, username, password, etag, lastModified };
  }

  private async take(runId: string, open: OpenFeed | undefined): Promise<End> {
    if (open === undefined) return { kind: 'unchanged' };
    // Of rows that another reading has reported this one tells no faults: the next job reads the feed whole, and does.
    const last = this.outcomes.isAtStart ? open : { ...open, etag: null, lastModified: null };
    let batch: FeedRow[] = [];
    let bytes = 0;
    let sequence = 0;
    this.rows = { stored: 0, failed: 0 };
    for await (const raw of readRows(open.bytes, open.contentType)) {
      const row = feedRow(raw);
      const size = Buffer.byteLength(JSON.stringify(row));
      if (batch.length > 0 && (batch.length >= MAX_FEED_ROWS || bytes + size > MESSAGE_BYTES)) {
        sequence += 1;
        const end = await this.store(runId, sequence, batch, null);
        if (end !== undefined) return end;
        [batch, bytes] = [[], 0];
      }
      batch.push(row);
      bytes += size;
    }
    return (await this.store(runId, sequence + 1, batch, last)) ?? { kind: 'read' };
  }

  /** Repeated while management is away. @returns the end of the reading when nothing more is taken */
  private async store(
    runId: string,
    sequence: number,
    rows: readonly FeedRow[],
    last: OpenFeed | null,
  ): Promise<End | undefined> {
    const { signal } = this.stopping;
    while (this.outcomes.isFull) await delay(POLL_MS, undefined, { signal });
    const { jobId, integrationId } = this.feed;
    const message = {
      ...{ job_id: jobId, integration_id: integrationId, run_id: runId, sequence, rows },
      ...{ is_last: last !== null, etag: last?.etag ?? null, last_modified: last?.lastModified ?? null },
    };
    for (;;) {
      const reply = await this.parts.asker.ask(OPERATIONS.storeFeedRows, message, {
        deadlineMs: STORE_DEADLINE_MS,
      });
      if ('ok' in reply) {
        this.outcomes.add(rows[0]?.row ?? 1, rows.at(-1)?.row ?? 0, reply.ok.errors);
        return this.endAfter(reply.ok);
      }
      if (reply.error.code !== 'UNAVAILABLE') return endBy(reply);
      await delay(RETRY_MS, undefined, { signal });
    }
  }

  private endAfter({ stored, failed }: StoredFeedRows): End | undefined {
    this.rows = { stored: this.rows.stored + stored, failed: this.rows.failed + failed };
    const isBroken = this.rows.failed > Math.max(MOST_BROKEN_ROWS, this.rows.stored);
    return isBroken ? { kind: 'refused', message: BROKEN } : undefined;
  }
}

/** NOT_FOUND is of a reading that has ended: whoever asks for it, asks for a new one. */
function endBy({ error: { code, message } }: { readonly error: Failure }): End {
  if (code === 'INTERNAL_ERROR') return { kind: 'given-up', code, message };
  if (code === 'UNAVAILABLE' || code === 'NOT_FOUND')
    return { kind: 'given-up', code: 'UNAVAILABLE', message };
  return { kind: 'refused', message };
}

const BROKEN = `More than ${MOST_BROKEN_ROWS} rows of the feed break rules, and fewer do not.`;
const SEALED = 'The credentials cannot be opened any more; they have to be set again.';
