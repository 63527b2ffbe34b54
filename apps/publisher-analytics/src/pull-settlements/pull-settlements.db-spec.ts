import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JobStepReport } from '@truetally/contracts/jobs';
import { type NetworkProvider, integrationSealContext } from '@truetally/contracts/management';
import type { RecordSync } from '@truetally/contracts/publisher';
import { ReachableAddresses } from '@truetally/contracts/validation';
import type { Reply } from '@truetally/kernel';
import { Keyring, newKeyring } from '@truetally/keyring';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { RowJudge } from '../import-settlements/judge-rows.js';
import { PullStore } from '../storage/pull.store.js';
import { SettlementStore } from '../storage/settlement.store.js';
import { SiteScopes } from '../storage/site-scope.js';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { IntegrationAccess } from './integration-access.js';
import { NetworkClient } from './network-client.js';
import { SettlementPull } from './pull-settlements.js';
import { MAX_ANSWER_BYTES } from './read-answer.js';

const DAY_MS = 86_400_000;
const MOST_STEPS = 60;
const keyring = new Keyring(newKeyring(Date.now()));

let database: ServiceDatabase;
let pool: Pool;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  database = await openPublisherDatabase();
  pool = database.openPool(4);
});

afterAll(() => database.close());

beforeEach(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Waits ten times as long for a whole answer: a busy machine stores one slowly. */
class PatientClient extends NetworkClient {
  override call<T>(...[baseUrl, asked, timeoutMs, read]: CallOf<T>): CallAnswer<T> {
    return super.call(baseUrl, asked, 10 * timeoutMs, read);
  }
}
type CallOf<T> = Parameters<typeof NetworkClient.prototype.call<T>>;
type CallAnswer<T> = ReturnType<typeof NetworkClient.prototype.call<T>>;

/** An integration whose network is the server, and what management was told of it. */
class Integration {
  readonly id = randomUUID();
  readonly siteId = randomUUID();
  readonly told: RecordSync[] = [];
  /** Of its settings. */
  version = 1;
  private readonly pull: SettlementPull;

  constructor(provider: NetworkProvider, Client = NetworkClient) {
    const { keyId, sealed } = keyring.seal(
      JSON.stringify({ publisher_id: '1', api_token: 'token' }),
      integrationSealContext(this.id),
    );
    const ok = {
      site_id: this.siteId,
      provider,
      base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { key_id: keyId, sealed: sealed.toString('base64') },
    };
    const asker = {
      ask: () => Promise.resolve({ ok: { ...ok, version: this.version } }),
      tell: ({ value }: { readonly value: string }) => {
        this.told.push(JSON.parse(value) as RecordSync);
        return Promise.resolve();
      },
    };
    this.pull = new SettlementPull({
      pool,
      access: new IntegrationAccess(asker, { keyring }),
      judge: new RowJudge({ keyring }, Date.now),
      settlements: new SettlementStore(new SiteScopes(() => 'UTC')),
      pulls: new PullStore(pool),
      client: new Client(new ReachableAddresses(['127.0.0.0/8'])),
      relay: { wake: () => undefined },
      nowMs: Date.now,
      random: () => 0,
    });
  }

  step(jobId: string, cursor: string | null): Promise<Reply<JobStepReport>> {
    const params = { integration_id: this.id };
    return this.pull.step({ job_id: jobId, step: 'pull-settlements', params, cursor }, false);
  }

  /** All steps of a pull, as its job does them; each minute of the call limit is over at once. */
  async pullAll(): Promise<{ readonly steps: number; readonly last: Reply<JobStepReport> }> {
    const jobId = randomUUID();
    let cursor: string | null = null;
    for (let steps = 1; steps <= MOST_STEPS; steps += 1) {
      await database.owner.query(`update pull_states set calls = '{}' where integration_id = $1`, [this.id]);
      const last = await this.step(jobId, cursor);
      if ('error' in last || last.ok.cursor === null) return { steps, last };
      ({ cursor } = last.ok);
    }
    throw new Error('The pull does not end.');
  }

  async count(where = 'true'): Promise<number> {
    const { rows } = await database.owner.query<{ count: string }>(
      `select count(*) from settlements where site_id = $1 and ${where}`,
      [this.siteId],
    );
    return Number(rows[0]?.count);
  }
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** As long as a real transaction. */
function transaction(id: number, atMs: number, status = 'pending'): object {
  const at = new Date(atMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
  return {
    id,
    commissionStatus: status,
    commissionAmount: { amount: 5, currency: 'GBP' },
    saleAmount: { amount: 50, currency: 'GBP' },
    clickRefs: { clickRef: `ref-${id}` },
    transactionDate: at,
    validationDate: null,
    orderRef: `order-${id}`,
    transactionParts: [{ commissionGroupId: 1, amount: 50, commissionAmount: 5, trackedParts: [{}, {}] }],
    url: `https://www.example.com/${'x'.repeat(1_500)}`,
  };
}

/** Writes without an end, as fast as it is read. @returns the number of bytes that were written */
function endless(beginning: string, piece: string): () => number {
  let bytes = 0;
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const text = piece.repeat(Math.ceil(65_536 / piece.length));
    const write = (): void => {
      while (!response.destroyed && response.write(text)) bytes += text.length;
      bytes += text.length;
    };
    response.on('drain', write);
    response.write(beginning);
    write();
  };
  return () => bytes;
}

describe('a pull', () => {
  it('a pull of 5,000 sales of a month stores them all, in windows as small as an answer may be large', async () => {
    const integration = new Integration('awin', PatientClient);
    const startMs = Date.now() - 30 * DAY_MS;
    const sales = Array.from({ length: 5_000 }, (_, n) => {
      const atMs = startMs + Math.floor((n * 29 * DAY_MS) / 5_000);
      return { atMs, sale: transaction(n, atMs) };
    });
    answer = (request, response) => {
      const { searchParams: asked } = new URL(request.url ?? '', 'http://network.example');
      const [from, to] = ['startDate', 'endDate'].map((name) => Date.parse(`${asked.get(name)}Z`));
      const isOfWindow = ({ atMs }: { readonly atMs: number }): boolean =>
        asked.get('dateType') === 'transaction' && atMs >= (from ?? 0) && atMs < (to ?? 0);
      json(
        response,
        sales.filter(isOfWindow).map(({ sale }) => sale),
      );
    };
    const { steps, last } = await integration.pullAll();
    expect(last).toMatchObject({ ok: { cursor: null } });
    // Six windows of a month when nothing is too large.
    expect(steps).toBeGreaterThan(6);
    expect(await integration.count()).toBe(5_000);
    expect(integration.told.at(-1)).toMatchObject({ outcome: 'synced' });
  });

  it('a pull of twenty thousand records in one answer stores them all', async () => {
    const integration = new Integration('cj', PatientClient);
    const postedMs = Date.now() - DAY_MS;
    const posted = new Date(postedMs).toISOString();
    const records = Array.from({ length: 20_000 }, (_, n) => ({
      commissionId: String(n),
      original: true,
      actionStatus: 'new',
      orderId: `order-${n}`,
      shopperId: null,
      eventDate: posted,
      postingDate: posted,
      saleAmountUsd: '75.47',
      pubCommissionAmountUsd: '7.781',
    }));
    answer = (request, response) => {
      let query = '';
      request.on('data', (chunk: Buffer) => (query += chunk.toString()));
      request.on('end', () => {
        const [since, before] = ['since', 'before'].map((name) => {
          const date = new RegExp(`${name}PostingDate: ..([^\\\\"]+)`).exec(query)?.[1];
          return Date.parse(date ?? '');
        });
        const isOfWindow = postedMs >= (since ?? NaN) && postedMs < (before ?? NaN);
        const publisherCommissions = { records: isOfWindow ? records : [], payloadComplete: true };
        json(response, { data: { publisherCommissions } });
      });
    };
    expect((await integration.pullAll()).last).toMatchObject({ ok: { cursor: null, failed: 0 } });
    expect(await integration.count()).toBe(20_000);
  });

  it('ends with a message to the merchant when even an hour is too large', async () => {
    const integration = new Integration('awin');
    const written = endless('[', `${JSON.stringify(transaction(1, Date.now()))},`);
    const { last } = await integration.pullAll();
    expect(last).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('larger') as unknown },
    });
    expect(integration.told.at(-1)).toMatchObject({ outcome: 'refused' });
    expect(written()).toBeGreaterThan(MAX_ANSWER_BYTES);
  });

  it('a pull whose network names the continuation of its answer by a text without bounds ends at once, and says why', async () => {
    const integration = new Integration('cj');
    const endless = { records: [], payloadComplete: false, maxCommissionId: '1'.repeat(2_000) };
    answer = (_request, response) => json(response, { data: { publisherCommissions: endless } });
    const { steps, last } = await integration.pullAll();
    const message = 'The network named the continuation of its answer by a longer text than is read.';
    expect([steps, last]).toMatchObject([1, { error: { code: 'CONFLICT', message } }]);
    expect(integration.told).toMatchObject([{ outcome: 'refused', error: message, version: 1 }]);
  });

  it.each([
    ['numbers', '[', '1.5,'],
    ['arrays', '[', '[],'],
    ['a row without an end', '[{"a":"', 'x'],
    ['names without rows', '{"a":1', ',"b":2'],
  ])('reads no more than a moment of an answer of %s', async (_name, beginning, piece) => {
    const integration = new Integration('awin');
    const written = endless(beginning, piece);
    const reply = await integration.step(randomUUID(), null);
    expect(reply).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    // Four attempts, of which each has what the buffers of a connection hold.
    expect(written()).toBeLessThan(4 * 8 * 1024 * 1024);
    expect(await integration.count()).toBe(0);
  });

  it('a pull after other settings asks as far back as the first one, for they may be of another account', async () => {
    const integration = new Integration('awin');
    let oldest = Infinity;
    answer = (request, response) => {
      const { searchParams: asked } = new URL(request.url ?? '', 'http://network.example');
      oldest = Math.min(oldest, Date.parse(`${asked.get('startDate')}Z`));
      json(response, []);
    };
    const daysOfPull = async (): Promise<number> => {
      oldest = Infinity;
      await integration.pullAll();
      return Math.round((Date.now() - oldest) / DAY_MS);
    };
    expect([await daysOfPull(), await daysOfPull()]).toEqual([93, 31]);
    integration.version = 2;
    expect([await daysOfPull(), await daysOfPull()]).toEqual([93, 31]);
    // Changed while it is pulled: its first windows were of the former settings.
    const jobId = randomUUID();
    const cursorOf = (reply: Reply<JobStepReport>): string | null => ('ok' in reply ? reply.ok.cursor : null);
    let cursor = cursorOf(await integration.step(jobId, null));
    integration.version = 3;
    while (cursor !== null) cursor = cursorOf(await integration.step(jobId, cursor));
    expect(integration.told.at(-1)).toMatchObject({ outcome: 'synced', version: 2 });
    expect([await daysOfPull(), await daysOfPull()]).toEqual([93, 31]);
  });

  it('never stores an answer that was asked for before another one was stored', async () => {
    const integration = new Integration('awin');
    const now = Date.now() - DAY_MS;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    answer = (_request, response) => {
      isAsked();
      void held.then(() => json(response, [transaction(1, now, 'pending')]));
    };
    const [older, newer] = [randomUUID(), randomUUID()];
    const late = integration.step(older, null);
    await asked;
    answer = (_request, response) => json(response, [transaction(1, now, 'approved')]);
    expect(await integration.step(newer, null)).toMatchObject({ ok: { stored: 1 } });
    release();
    expect(await late).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    expect(await integration.count(`status = 'approved'`)).toBe(1);
    // Asked again, it is the newest.
    expect(await integration.step(older, null)).toMatchObject({ ok: { stored: 1 } });
    expect(await integration.count(`status = 'approved'`)).toBe(1);
  });
});
