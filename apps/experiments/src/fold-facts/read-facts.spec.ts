import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import fc from 'fast-check';
import { purchaseFact } from '../testing/purchase-fact.js';
import { namesNoAssignment, readFacts } from './read-facts.js';

const AT = '2026-02-01T00:00:00.000Z';

describe('read-facts', () => {
  it('a record is passed over by its bytes only if it names no assignment, whatever its order is called', () => {
    const assignmentIds = fc.array(fc.uuid(), { maxLength: 2 });
    const orderId = fc.oneof(fc.string(), fc.constant('"experiment_assignment_ids":[]'));
    fc.assert(
      fc.property(assignmentIds, orderId, (ids, name) => {
        const order = { orderId: name, assignmentIds: ids, at: AT, cents: 1_000 };
        const value = JSON.stringify(purchaseFact(randomUUID(), order));
        const { records } = readFacts([{ topic: TOPICS.conversionsRecorded.name, value }]);
        expect(namesNoAssignment(Buffer.from(value))).toBe(records.length === 0);
      }),
    );
  });
});
