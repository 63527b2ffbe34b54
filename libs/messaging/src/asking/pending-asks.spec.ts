import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NewAsk, PendingAsks } from './pending-asks.js';

const ask = (given: Partial<NewAsk> = {}): NewAsk => ({
  to: 'topic',
  bytes: 10,
  askedMs: 0,
  deadlineMs: 100,
  ...given,
});

describe('asks that wait', () => {
  it('count with their bytes until they are settled, in whatever order, and then no more', () => {
    const sizes = fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat()), (bytesOf, choices) => {
        const pending = new PendingAsks();
        const waiting = new Map(bytesOf.map((bytes, index) => [`ask-${index}`, bytes]));
        for (const [id, bytes] of waiting) void pending.add(id, ask({ bytes }));
        while (waiting.size > 0) {
          expect(pending.count).toBe(waiting.size);
          expect(pending.bytes).toBe([...waiting.values()].reduce((sum, bytes) => sum + bytes, 0));
          const ids = [...waiting.keys()];
          const id = ids[(choices.next().value ?? 0) % ids.length] ?? '';
          expect(pending.settle(id, { ok: id })).toBeDefined();
          // A second reply finds no asker, and frees nothing twice.
          expect(pending.settle(id, { ok: id })).toBeUndefined();
          waiting.delete(id);
        }
        expect(pending.count).toBe(0);
        expect(pending.bytes).toBe(0);
      }),
    );
  });

  it('get the reply that came, each its own', async () => {
    const pending = new PendingAsks();
    const [first, second] = [pending.add('first', ask()), pending.add('second', ask())];
    expect(pending.find('first')).toBe(first);
    expect(pending.has('second')).toBe(true);
    pending.settle('second', { ok: 2 });
    pending.settle('first', { ok: 1 });
    expect(await first).toEqual({ ok: 1 });
    expect(await second).toEqual({ ok: 2 });
    expect(pending.find('first')).toBeUndefined();
    expect(pending.has('second')).toBe(false);
  });

  it('wait on while thousands of others are settled', async () => {
    const pending = new PendingAsks();
    const waiting = pending.add('waiting', ask());
    for (let index = 0; index < 3_000; index += 1) {
      void pending.add(`other-${index}`, ask());
      pending.settle(`other-${index}`, { ok: index });
    }
    expect(pending.count).toBe(1);
    expect(pending.bytes).toBe(10);
    pending.settle('waiting', { ok: 'late' });
    expect(await waiting).toEqual({ ok: 'late' });
  });

  it('expire when their deadline is reached, not before', () => {
    const pending = new PendingAsks();
    void pending.add('early', ask({ askedMs: 50, deadlineMs: 100 }));
    void pending.add('late', ask({ askedMs: 50, deadlineMs: 101 }));
    expect(pending.expired(149)).toEqual([]);
    expect(pending.expired(150)).toEqual(['early']);
    expect(pending.all()).toEqual(['early', 'late']);
  });
});
