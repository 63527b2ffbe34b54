import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  discardSetAside,
  type HandledSetAside,
  inTransaction,
  listSetAside,
  type OutgoingFact,
  replaySetAside,
} from './index.js';
import { numbered, Refusal, RelayedOutbox, STATE_TOPIC } from './testing/relayed-outbox.js';

let outbox: RelayedOutbox;

beforeAll(async () => {
  outbox = await RelayedOutbox.open(process.env['TEST_DATABASE_URL']);
});

afterEach(() => outbox.clear());

afterAll(() => outbox.close());

const BY = { actor: 'admin', requestId: 'request-1' };

const replay = (id = ''): Promise<HandledSetAside> =>
  inTransaction(outbox.pool, (client) => replaySetAside(client, id, BY));
const discard = (id = ''): Promise<HandledSetAside> =>
  inTransaction(outbox.pool, (client) => discardSetAside(client, id, BY));

describe('facts that the broker refuses', () => {
  it('a refused fact is set aside, at any position, and all others continue in their order', async () => {
    await outbox.append(...Array.from({ length: 50 }, (_, n) => numbered(n)));
    outbox.startRelay(outbox.refusing('0', '17', '18', '49'));
    await outbox.untilEmpty();
    const refused = ['0', '17', '18', '49'];
    expect(outbox.values()).toEqual(
      Array.from({ length: 50 }, (_, n) => `${n}`).filter((n) => !refused.includes(n)),
    );
    expect(outbox.reported.map(({ value, reason }) => [value, reason])).toEqual(
      refused.map((n) => [n, 'too large']),
    );
    const kept = await listSetAside(outbox.pool, '0', 3);
    expect(kept.map(({ topic, key, bytes }) => ({ topic, key, bytes }))).toEqual(
      [0, 17, 18].map((n) => ({ topic: numbered(n).topic, key: numbered(n).key, bytes: `${n}`.length })),
    );
    const rest = await listSetAside(outbox.pool, String(kept.at(-1)?.id), 3);
    expect(rest.map(({ id }) => id)).toEqual(outbox.reported.slice(3).map(({ id }) => id));
    expect(outbox.errors).toEqual([]);
  });

  it('a refused fact is published when it is replayed, once', async () => {
    await outbox.append(numbered(1));
    const refusals = ['1'];
    outbox.startRelay((facts, confirm) => outbox.refusing(...refusals)(facts, confirm));
    await outbox.untilEmpty();
    const [fact] = await listSetAside(outbox.pool, '0', 10);
    refusals.pop();
    expect(await replay(fact?.id)).toEqual({ kind: 'handled', fact });
    expect(await replay(fact?.id)).toEqual({ kind: 'unknown' });
    await outbox.untilEmpty();
    expect(outbox.published).toEqual([numbered(1)]);
    expect(await outbox.count('outbox_set_aside')).toBe(0);
  });

  it('a refused state is not replayed behind a newer one of its key, whether that is out or on its way', async () => {
    const state = { topic: STATE_TOPIC };
    await outbox.append(numbered(1, state), numbered(2, { ...state, key: 'other' }));
    const relay = outbox.startRelay(outbox.refusing('1', '2'));
    await outbox.untilEmpty();
    await outbox.append(numbered(3, state));
    await outbox.untilEmpty();
    await relay.stop();
    await outbox.append(numbered(4, { ...state, key: 'other' }));
    const facts = await listSetAside(outbox.pool, '0', 10);
    expect(facts.map(({ key, isSuperseded }) => [key, isSuperseded])).toEqual([
      [numbered(1, state).key, true],
      ['other', false],
    ]);
    for (const fact of facts) {
      const { id } = fact;
      expect(await replay(id)).toEqual({ kind: 'superseded', newerId: undefined });
      expect(await discard(id)).toEqual({ kind: 'handled', fact });
      expect(await discard(id)).toEqual({ kind: 'unknown' });
    }
  });

  it('a refused state is not replayed when a newer one of its key is set aside, which is named, also after it was discarded', async () => {
    const states = [1, 2, 3].map((n) => numbered(n, { topic: STATE_TOPIC }));
    await outbox.append(...states);
    const relay = outbox.startRelay(outbox.refusing('1', '2', '3'));
    await outbox.untilEmpty();
    await relay.stop();
    const facts = await listSetAside(outbox.pool, '0', 10);
    expect(facts.map(({ isSuperseded }) => isSuperseded)).toEqual([true, true, false]);
    const [oldest, older, newest] = facts.map(({ id }) => id);
    for (const id of [oldest, older]) {
      expect(await replay(id)).toEqual({ kind: 'superseded', newerId: newest });
    }
    expect(await discard(newest)).toMatchObject({ kind: 'handled' });
    for (const id of [oldest, older]) {
      expect(await replay(id)).toEqual({ kind: 'superseded', newerId: undefined });
    }
  });

  it('a replayed fact keeps its place: it precedes later facts, and has the same id when it is refused again', async () => {
    await outbox.append(numbered(1));
    const first = outbox.startRelay(outbox.refusing('1'));
    await outbox.untilEmpty();
    await first.stop();
    const [fact] = await listSetAside(outbox.pool, '0', 10);
    await outbox.append(numbered(2));
    await replay(fact?.id);
    outbox.startRelay(outbox.refusing('1'));
    await outbox.untilEmpty();
    expect(await listSetAside(outbox.pool, '0', 10)).toMatchObject([{ id: fact?.id, key: fact?.key }]);
    await outbox.append(numbered(3));
    expect(await replay(fact?.id)).toMatchObject({ kind: 'handled', fact: { id: fact?.id } });
  });

  it('every replay and discard is recorded with its actor, append-only for the service', async () => {
    await outbox.append(numbered(1), numbered(2, { key: 'other' }));
    outbox.startRelay(outbox.refusing('1', '2'));
    await outbox.untilEmpty();
    const [first, second] = await listSetAside(outbox.pool, '0', 10);
    const refused = inTransaction(outbox.pool, async (client) => {
      await discardSetAside(client, String(first?.id), BY);
      throw new Error('the commit fails');
    });
    await expect(refused).rejects.toThrow('the commit fails');
    await replay(first?.id);
    await inTransaction(outbox.pool, (client) =>
      discardSetAside(client, String(second?.id), { actor: 'admin', requestId: undefined }),
    );
    const { rows } = await outbox.pool.query(
      `select fact_id, actor, action, action_request_id, topic, key_digest, reason from outbox_set_aside_actions
       where fact_id = any($1) order by at, fact_id`,
      [[first?.id, second?.id]],
    );
    const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
    const about = { actor: 'admin', topic: first?.topic, reason: 'too large' };
    expect(rows).toEqual([
      { ...about, fact_id: first?.id, action: 'replay', action_request_id: 'request-1', key_digest: digest },
      { ...about, fact_id: second?.id, action: 'discard', action_request_id: null, key_digest: digest },
    ]);
    for (const change of [
      'delete from outbox_set_aside_actions',
      `update outbox_set_aside_actions set actor = ''`,
    ])
      await expect(outbox.pool.query(change)).rejects.toThrow('permission denied');
  });

  it('a refused fact of a topic that keeps all of them is replayed behind newer ones of its key', async () => {
    await outbox.append(numbered(1), numbered(2));
    outbox.startRelay(outbox.refusing('1'));
    await outbox.untilEmpty();
    const [fact] = await listSetAside(outbox.pool, '0', 10);
    expect(fact?.isSuperseded).toBe(false);
    expect(await replay(fact?.id)).toEqual({ kind: 'handled', fact });
  });

  it('a thousand refused facts do not stop others', async () => {
    await outbox.append(...Array.from({ length: 1_000 }, (_, n) => numbered(n)), numbered(1_000));
    outbox.startRelay((facts) =>
      facts.some(({ value }) => value !== '1000')
        ? Promise.reject(new Refusal('no topic'))
        : outbox.take(facts),
    );
    await outbox.untilEmpty();
    expect(outbox.values()).toEqual(['1000']);
    expect(await outbox.count('outbox_set_aside')).toBe(1_000);
  });
});

const KEYS = ['a', 'b'];

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      states: fc.array(
        fc.record({ key: fc.constantFrom(...KEYS), isRefused: fc.boolean(), isTombstone: fc.boolean() }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('replay' as const, 'discard' as const), index: fc.nat() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('publish' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fix' as const) }) },
);

/** States of keys whose versions are in a header, and a broker that refuses some until a cause is fixed. */
class States {
  private readonly newest = new Map<string, number>();
  private readonly discarded = new Set<string>();
  private refused = new Set<string>();

  async change(
    states: readonly { readonly key: string; readonly isRefused: boolean; readonly isTombstone: boolean }[],
  ): Promise<void> {
    const facts = states.map(({ key, isRefused, isTombstone }): OutgoingFact => {
      const version = (this.newest.get(key) ?? 0) + 1;
      this.newest.set(key, version);
      if (isRefused) this.refused.add(`${key}/${version}`);
      const value = isTombstone ? null : `${version}`;
      return { topic: STATE_TOPIC, key, value, headers: { version: `${version}` } };
    });
    await outbox.append(...facts);
  }

  fix(): void {
    this.refused = new Set();
  }

  readonly accept = (facts: readonly OutgoingFact[]): Promise<void> =>
    facts.some((fact) => this.refused.has(`${fact.key}/${versionOf(fact)}`))
      ? Promise.reject(new Refusal('too large'))
      : outbox.take(facts);

  /** Discards any: the newest state of a key is then never published. */
  async discard(id: string): Promise<void> {
    const { rows } = await outbox.pool.query<OutgoingFact>(
      'select topic, key, value, headers from outbox_set_aside where id = $1',
      [id],
    );
    for (const fact of rows) this.discarded.add(`${fact.key}/${versionOf(fact)}`);
    await discard(id);
  }

  /** What was published of each key is newer each time, and ends with the newest that was not discarded. */
  check(): void {
    for (const key of KEYS) {
      const versions = outbox.published.filter((fact) => fact.key === key).map(versionOf);
      expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
      const newest = this.newest.get(key);
      if (!this.discarded.has(`${key}/${newest}`)) expect(versions.at(-1)).toBe(newest);
    }
  }
}

const versionOf = ({ headers }: OutgoingFact): number => Number(headers?.['version']);

describe('refused states', () => {
  it('the topic ends with the newest state of each key, in whatever order refused ones are replayed among new ones', async () => {
    const history = fc.array(step, { minLength: 3, maxLength: 14 });
    await fc.assert(
      fc
        .asyncProperty(history, fc.infiniteStream(fc.nat()), async (steps, order) => {
          const states = new States();
          const listed = async (index: number): Promise<string | undefined> => {
            const facts = await listSetAside(outbox.pool, '0', 1_000);
            return facts[index % Math.max(facts.length, 1)]?.id;
          };
          const relay = outbox.startRelay(states.accept);
          for (const each of steps) {
            if (each.kind === 'change') await states.change(each.states);
            else if (each.kind === 'fix') states.fix();
            else if (each.kind === 'publish') {
              relay.wake();
              await outbox.untilEmpty();
            } else {
              const id = await listed(each.index);
              if (id !== undefined) await (each.kind === 'replay' ? replay(id) : states.discard(id));
            }
          }
          states.fix();
          // The operator tries any of the list until none can be replayed.
          for (const index of order) {
            await outbox.untilEmpty();
            const waiting = await listSetAside(outbox.pool, '0', 1_000);
            if (waiting.every(({ isSuperseded }) => isSuperseded)) break;
            await replay(await listed(index));
          }
          states.check();
        })
        .afterEach(() => outbox.clear()),
      { numRuns: 40 },
    );
  });
});
