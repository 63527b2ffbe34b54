import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { UnreadableError } from '@truetally/messaging';
import { FACT_NAMES, type FactName, PUBLIC_TOPICS } from './facts.js';
import { readFact } from './read-fact.js';

const SEALED = { site_id: 's', sequence: '7', hash: 'a'.repeat(64), recorded_at: '2026-01-31T09:30:01.000Z' };

describe('the facts of the worker kit', () => {
  it.each(FACT_NAMES)('%s has the topic of the catalogue', (name) => {
    expect(PUBLIC_TOPICS[name].topic).toBe(TOPICS[name].name);
  });

  it.each(['', 'null', '[]', '{', '"text"', '{}'])('a value %j is refused', (value) => {
    for (const name of FACT_NAMES) expect(() => readFact(name, { key: 'k', value })).toThrow(UnreadableError);
  });

  it('a state that is gone is null; a fact that happened has a value', () => {
    const gone = (name: FactName) => readFact(name, { key: 'k', value: null });
    expect(gone('sites').fact).toBeNull();
    expect(() => gone('conversionsRecorded')).toThrow('without a value');
  });

  it('a fact is the same one by its id, whatever else a later release adds to it', () => {
    const read = readFact('ledgerSealed', { key: 'k', value: JSON.stringify(SEALED) });
    const later = JSON.stringify({ ...SEALED, added: 1 });
    expect(readFact('ledgerSealed', { key: 'k', value: later })).toEqual(read);
    expect(read.id).toBe('s:7');
  });

  it('states are told apart by key and value', () => {
    const idOf = (key: string, value: string | null) => readFact('sites', { key, value }).id;
    expect(new Set([idOf('a', null), idOf('b', null)]).size).toBe(2);
    expect(idOf('a', null)).toBe(idOf('a', null));
  });

  it('a state that is told again behind a restore is another one, as what came between is undone', () => {
    const gone = (incarnation: string) =>
      readFact('sites', { key: 'a', value: null, headers: { incarnation } });
    expect(gone('1').id).toBe(gone('1').id);
    expect(gone('2').id).not.toBe(gone('1').id);
    expect(gone('2').incarnation).toBe(2);
  });
});
