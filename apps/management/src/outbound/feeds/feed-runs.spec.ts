import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { JobStepReport } from '@truetally/contracts/jobs';
import { integrationSealContext, READ_FEED } from '@truetally/contracts/management';
import { OUTBOUND } from '@truetally/contracts/outbound';
import { OPERATIONS } from '@truetally/contracts/topics';
import { failure, type Reply } from '@truetally/kernel';
import { Keyring, newKeyring } from '@truetally/keyring';
import { OperationAsker } from '@truetally/messaging';
import type { OpenFeed } from './feed-client.js';
import { FEED_LIMITS } from './feed-limits.js';
import { FeedRuns } from './feed-runs.js';

const keyring = new Keyring(newKeyring(Date.now()));
const STORED = { ok: { stored: 1, failed: 0, errors: [] } };
const FEED = 'id,title\n1,One\n';

let runs: FeedRuns;
let fetched = 0;

afterEach(() => runs.stop());

/** Readings of this text, or of one without an end, whose rows management answers like this. */
function open(text: string | undefined, stored: (rows: string) => Reply<unknown> = () => STORED): void {
  fetched = 0;
  runs = new FeedRuns({
    client: {
      fetch: (_, signal, use) => {
        fetched += 1;
        const bytes = text === undefined ? endless(signal) : whole(text);
        const feed: OpenFeed = { bytes, contentType: undefined, etag: '"1"', lastModified: null };
        return use(feed);
      },
    },
    asker: new OperationAsker(
      {
        ask: ({ to, value }) =>
          Promise.resolve(to === OPERATIONS.beginFeedRun.address ? { ok: accessTo(value) } : stored(value)),
        tell: () => Promise.reject(new Error('A reading has answers.')),
      },
      OUTBOUND.name,
    ),
    keys: { keyring },
    log: { warn: () => undefined },
    limits: FEED_LIMITS,
  });
}

async function* whole(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}

async function* endless(signal: AbortSignal): AsyncGenerator<Buffer> {
  yield Buffer.from(FEED);
  signal.throwIfAborted();
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
}

function accessTo(value: string): object {
  const { integration_id: id } = JSON.parse(value) as { integration_id: string };
  const { keyId, sealed } = keyring.seal('{"username":null,"password":null}', integrationSealContext(id));
  const credentials = { key_id: keyId, sealed: sealed.toString('base64') };
  return { url: 'https://shop.example/feed', credentials, etag: null, last_modified: null };
}

const step = (holder: string = randomUUID()) => ({
  job_id: randomUUID(),
  step: READ_FEED,
  params: { integration_id: randomUUID(), holder },
  cursor: null,
});

const outcomeOf = (reply: Reply<JobStepReport>) =>
  'ok' in reply ? reply.ok.cursor : `${reply.error.code}: ${reply.error.message}`;

describe('a reading of a feed', () => {
  it.each<[string, Reply<unknown>, string]>([
    ['refused', failure('CONFLICT', 'The quota is used up.'), 'CONFLICT: The quota is used up.'],
    ['of a reading that has ended', failure('NOT_FOUND', 'It has ended.'), 'UNAVAILABLE: It has ended.'],
    ['broken', failure('INTERNAL_ERROR', 'It is poison.'), 'INTERNAL_ERROR: It is poison.'],
  ])('a reading whose rows are %s ends so, after one download', async (_, reply, outcome) => {
    open(FEED, () => reply);
    expect(outcomeOf(await runs.handle(step()))).toBe(outcome);
    expect(fetched).toBe(1);
  });

  it.each([
    ['as many are not', 100_001, null],
    ['fewer are not', 100_000, 'CONFLICT: More than 100000 rows of the feed break rules, and fewer do not.'],
  ])('a reading of which 100,001 rows break rules, and %s, ends so', async (_, stored, outcome) => {
    open(FEED, () => ({ ok: { stored, failed: 100_001, errors: [] } }));
    const asked = step();
    await runs.handle(asked);
    expect(outcomeOf(await runs.handle({ ...asked, cursor: '1' }))).toBe(outcome);
  });

  it.each([
    ['from the start', '"1"', null],
    ['behind rows that another one has reported', null, '1'],
  ])('a reading %s has the feed’s next one spared by the tag %s', async (_, etag, cursor) => {
    const told: unknown[] = [];
    open(FEED, (rows) => {
      told.push(JSON.parse(rows));
      return STORED;
    });
    await runs.handle({ ...step(), cursor });
    expect(told).toMatchObject([{ is_last: true, etag }]);
  });

  it('a reading that is begun anew is not forgotten with the one before, of which two questions have asked', async () => {
    open(FEED, () => failure('NOT_FOUND', 'It has ended.'));
    const asked = step();
    const [first, second] = [runs.handle(asked), runs.handle(asked)];
    await first;
    const later = runs.handle(asked);
    await second;
    void runs.handle(asked);
    await later;
    expect(fetched).toBe(2);
  });

  it('a reading that a fault of ours ends is a broken step, of which a job ends in the end', async () => {
    open(FEED, () => {
      throw new TypeError('x is undefined');
    });
    const asked = step();
    expect(outcomeOf(await runs.handle(asked))).toContain('INTERNAL_ERROR');
    expect(outcomeOf(await runs.handle(asked))).toContain('INTERNAL_ERROR');
    expect(fetched).toBe(2);
  });

  it.each<[string, ...[readonly string[], readonly number[]]]>([
    ['two readings of a person go on, however slow', ['one', 'one', 'one', 'two'], [2]],
    [
      'one reading of a person goes on, once half of all do',
      ['one', 'one', 'two', 'two', 'three', 'three', 'four'],
      [5],
    ],
  ])('%s, and those of others beside them', async (_, holders, waiting) => {
    open(undefined);
    const replies = holders.map((holder) => runs.handle(step(holder)));
    const answered = await Promise.all(waiting.map((at) => replies[at]));
    // What goes on would wait for something to report.
    await runs.stop();
    const outcomes = (await Promise.all(replies)).map(outcomeOf);
    expect(outcomes.flatMap((outcome, at) => (outcome === '0' ? [at] : []))).toEqual(waiting);
    // No failure, which would be an attempt of thirty: it waits from where it was.
    expect(answered).toMatchObject([{ ok: { done: 0, again_in_ms: 5_000 } }]);
  });
});
