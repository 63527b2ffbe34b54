import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventStream, WAITING_LIMITS } from './event-stream.js';
import type { StreamFilter } from './recent-event.js';
import { RecentEvents } from './recent-events.js';
import { PositionIds } from './stream-position.js';

const SITE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const ids = new PositionIds([{ kid: 'a', secret: randomBytes(32) }]);
const ALL: StreamFilter = { event_type: null, session_id: null, request_id: null, event_ids: null };
const STARTS = new Map([[0, 0]]);
const NOW_MS = 1_000;

/** A reader of a socket that takes so many writes, and then nothing until it is read. */
class Reader {
  text = '';
  written = 0;
  room = Infinity;
  missed = 0;
  readonly stream: EventStream;

  constructor(recent: RecentEvents<EventStream>, filter: StreamFilter, position: readonly number[] = [0]) {
    this.stream = new EventStream({
      site: recent.of(SITE),
      filter,
      position,
      ids,
      output: {
        write: (frames) => {
          this.text += frames.toString();
          this.written += 1;
          this.room -= 1;
          return this.room > 0;
        },
        end: (text) => {
          this.text += text;
        },
      },
      onMissed: (count) => {
        this.missed += count;
      },
    });
  }

  get sessions(): readonly string[] {
    return [...this.text.matchAll(/"session_id":"(\w+)"/g)].map(([, session = '']) => session);
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  }
}

const RECEIVED_AT = '2026-01-01T00:00:00.000Z';
const FACT = { partition: 0, siteId: SITE, receivedAt: RECEIVED_AT };

function add(
  recent: RecentEvents<EventStream>,
  offset: number,
  session = `s${offset}`,
  text = '',
  next: readonly number[] = [offset + 1],
): void {
  const value = Buffer.from(
    JSON.stringify({ session_id: session, occurred_at: '2026-01-01T00:00:00Z', properties: { text } }),
  );
  recent.add({ ...FACT, offset, eventId: `${offset}`, value, next }, NOW_MS);
}

function tell(recent: RecentEvents<EventStream>): void {
  for (const reader of recent.of(SITE).readers) reader.goOn(false);
}

describe('a reader of a live stream', () => {
  it('a slow reader costs no memory, is told how much it missed, and then goes on', () => {
    const recent = new RecentEvents<EventStream>(STARTS);
    const [slow, fast] = [new Reader(recent, ALL), new Reader(recent, ALL)];
    slow.room = 1;
    const count = WAITING_LIMITS.events + 10;
    for (let offset = 0; offset < count; offset += 1) {
      add(recent, offset);
      tell(recent);
    }
    expect([slow.sessions, fast.sessions.length]).toEqual([['s0'], count]);
    slow.room = Infinity;
    slow.stream.goOn(true);
    add(recent, count);
    tell(recent);
    expect(slow.sessions.length + slow.missed).toBe(count + 1);
    expect(slow.text).toMatch(/event: missed\nid: [\w-]+\ndata: \{"count":\d+\}\n\nevent: stored/);
    expect(slow.sessions.at(-1)).toBe(`s${count}`);
  });

  it('a reader that takes nothing looks at the position of the last event that it passes over, and at no other', () => {
    const recent = new RecentEvents<EventStream>(STARTS);
    const slow = new Reader(recent, ALL);
    slow.room = 1;
    add(recent, 0);
    tell(recent);
    const looked = new Set<number>();
    for (let offset = 1; offset <= WAITING_LIMITS.events + 1; offset += 1) {
      const look = (target: number[], name: string | symbol): unknown => {
        if (name === '0') looked.add(offset);
        return Reflect.get(target, name);
      };
      add(recent, offset, 's', '', new Proxy([offset + 1], { get: look }));
      tell(recent);
    }
    expect([...looked]).toEqual([WAITING_LIMITS.events + 1]);
  });

  it('a reader that resumes behind much is not slow, and one that takes nothing misses what is forgotten', () => {
    const recent = new RecentEvents<EventStream>(STARTS, 1_000_000);
    const count = WAITING_LIMITS.events + 500;
    for (let offset = 0; offset < count; offset += 1) add(recent, offset);
    const reader = new Reader(recent, ALL, [100]);
    reader.room = 1;
    reader.stream.goOn(false);
    expect(reader.missed).toBe(0);
    for (let offset = count; offset < count + 900; offset += 1)
      add(recent, offset, `s${offset}`, 'x'.repeat(2_000));
    reader.room = Infinity;
    reader.stream.goOn(true);
    expect(reader.missed).toBeGreaterThan(0);
    expect(reader.sessions.length + reader.missed).toBe(count + 900 - 100);
  });

  it.each([['no JSON'], ['null'], ['{}']])(
    'a record that is no event (%s) is left out, and what follows it is sent',
    (text) => {
      const recent = new RecentEvents<EventStream>(STARTS);
      const filters = [ALL, { ...ALL, session_id: 's1' }];
      const readers = filters.map((filter) => new Reader(recent, filter));
      recent.add({ ...FACT, offset: 0, eventId: '', value: Buffer.from(text), next: [1] }, NOW_MS);
      add(recent, 1);
      tell(recent);
      expect(readers.map(({ sessions }) => sessions)).toEqual([['s1'], ['s1']]);
    },
  );

  it('a site that was forgotten comes back with its new events alone', () => {
    const recent = new RecentEvents<EventStream>(STARTS);
    for (const offset of [0, 1]) {
      const site = recent.of(SITE);
      const pair = [new Reader(recent, ALL), new Reader(recent, ALL)];
      add(recent, 0, 'first');
      tell(recent);
      add(recent, offset + 1, `event${offset}`);
      tell(recent);
      expect(pair.map(({ sessions }) => sessions)).toEqual([
        ['first', `event${offset}`],
        ['first', `event${offset}`],
      ]);
      for (const { stream } of pair) recent.leave(site, stream);
      recent.forgetUntil(NOW_MS + 1);
    }
  });

  it('an event that is told twice is sent once, and one that is stored anew under its id is another', () => {
    const recent = new RecentEvents<EventStream>(STARTS);
    const reader = new Reader(recent, ALL);
    const value = Buffer.from('{"session_id":"s","occurred_at":"2026-01-01T00:00:00Z"}');
    const told = [RECEIVED_AT, RECEIVED_AT, '2026-01-01T00:00:01.000Z'];
    for (const [offset, receivedAt] of told.entries())
      recent.add({ ...FACT, receivedAt, offset, eventId: 'e', value, next: [offset + 1] }, NOW_MS);
    tell(recent);
    expect([reader.sessions, ids.read(SITE, reader.lastId)?.position]).toEqual([['s', 's'], [3]]);
  });

  it('what is kept stays within its bound, and says from where on it is whole', () => {
    const recent = new RecentEvents<EventStream>(STARTS, 100_000);
    for (let offset = 0; offset < 1_000; offset += 1) add(recent, offset);
    expect(recent.bytes).toBeLessThanOrEqual(100_000);
    const { first } = recent.of(SITE).events;
    expect([first > 0, recent.covers([first - 1]), recent.covers([first])]).toEqual([true, false, true]);
    recent.forgetUntil(NOW_MS + 1);
    expect([recent.bytes, recent.covers([999]), recent.covers([1_000])]).toEqual([0, false, true]);
  });

  it('a stream that is cut anywhere goes on behind its last frame at a gateway with another order', () => {
    const events = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        events,
        fc.infiniteStream(fc.boolean()),
        fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
        (partitions, coin, cuts) => {
          const facts = factsOf(partitions);
          const gateways = [facts, reordered(facts, () => coin.next().value === true)].map(gatewayOf);
          const seen: string[] = [];
          let position: readonly number[] = [0, 0, 0];
          for (const [turn, cut] of [...cuts, Infinity].entries()) {
            const recent = gateways[turn % 2];
            if (recent === undefined) throw new Error('No gateway');
            const reader = new Reader(recent, ALL, position);
            reader.stream.open('2026-01-01T00:00:00.000Z', false, NOW_MS);
            reader.stream.goOn(false);
            const frames = reader.text.split('\n\n').slice(0, Math.min(cut, partitions.length) + 1);
            const had = frames.join('\n\n');
            seen.push(...[...had.matchAll(/"session_id":"(\w+)"/g)].map(([, session = '']) => session));
            const id = [...had.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
            position = ids.read(SITE, id)?.position ?? position;
          }
          expect(seen.toSorted()).toEqual(facts.map(({ session }) => session).toSorted());
        },
      ),
    );
  });
});

interface Placed {
  readonly partition: number;
  readonly offset: number;
  readonly session: string;
}

function factsOf(partitions: readonly number[]): readonly Placed[] {
  const next = [0, 0, 0];
  return partitions.map((partition, number) => {
    const offset = next[partition] ?? 0;
    next[partition] = offset + 1;
    return { partition, offset, session: `s${number}` };
  });
}

/** The same partitions, put together in another way. */
function reordered(facts: readonly Placed[], flip: () => boolean): readonly Placed[] {
  const order = [...facts];
  for (let at = 1; at < order.length; at += 1) {
    const [one, other] = [order[at - 1], order[at]];
    if (one === undefined || other === undefined || one.partition === other.partition || !flip()) continue;
    order[at - 1] = other;
    order[at] = one;
  }
  return order;
}

function gatewayOf(facts: readonly Placed[]): RecentEvents<EventStream> {
  const recent = new RecentEvents<EventStream>(new Map([0, 1, 2].map((partition) => [partition, 0])));
  const next = [0, 0, 0];
  for (const { partition, offset, session } of facts) {
    next[partition] = offset + 1;
    const value = Buffer.from(JSON.stringify({ session_id: session, occurred_at: '2026-01-01T00:00:00Z' }));
    const fact = { ...FACT, partition, offset, eventId: session, value, next: [...next] };
    recent.add(fact, NOW_MS);
  }
  return recent;
}
