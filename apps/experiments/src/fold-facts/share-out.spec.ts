import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assignedFact, soldRecord } from '../testing/experiment-database.js';
import type { FactsToFold } from './read-facts.js';
import { bySite, ROWS_AT_ONCE, SHARE_OF_SITE, shareOut } from './share-out.js';

const SITES = [1, 2, 3, 4].map(() => ({ experimentId: randomUUID(), siteId: randomUUID() }));

function factsOf(counts: readonly (readonly [sessions: number, records: number])[]): FactsToFold {
  const all = counts.map(([sessions, records], place) => {
    const row = SITES[place % SITES.length] ?? { experimentId: '', siteId: '' };
    const session = assignedFact(row);
    return {
      assigned: Array.from({ length: sessions }, () => ({ ...session, assignment_id: randomUUID() })),
      records: Array.from({ length: records }, () => soldRecord(session)),
    };
  });
  return {
    assigned: all.flatMap(({ assigned }) => assigned),
    records: all.flatMap(({ records }) => records),
  };
}

const anyFacts = fc
  .array(fc.tuple(fc.nat(700), fc.nat(1_500)), { minLength: 1, maxLength: SITES.length })
  .map(factsOf);
const idsOf = ({ assigned, records }: FactsToFold): readonly string[] =>
  [...assigned.map((fact) => fact.assignment_id), ...records.map((record) => record.recordId)].sort();
const countOf = ({ assigned, records }: FactsToFold): number => assigned.length + records.length;

describe('the facts of one call', () => {
  it('the facts of one call are folded or set aside, in bounded pieces, of each site a bounded share', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(undefined, SITES[0]?.siteId), (facts, slow) => {
        const { now, later } = shareOut(facts, (siteId) => siteId === slow);
        const folded = now.reduce<FactsToFold>(
          (all, { assigned, records }) => ({
            assigned: [...all.assigned, ...assigned],
            records: [...all.records, ...records],
          }),
          { assigned: [], records: [] },
        );
        expect([...idsOf(folded), ...idsOf(later)].sort()).toEqual(idsOf(facts));
        expect(Math.max(0, ...now.map(countOf))).toBeLessThanOrEqual(ROWS_AT_ONCE);
        const given = bySite(facts);
        const shares = bySite(folded);
        for (const [siteId, part] of given) {
          const share = shares.get(siteId);
          const wanted = siteId === slow ? 0 : Math.min(countOf(part), SHARE_OF_SITE);
          expect(share === undefined ? 0 : countOf(share)).toBe(wanted);
        }
      }),
      { numRuns: 30 },
    );
  });
});
