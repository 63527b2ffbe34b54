import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assignArm, placeOf } from './assign-arm.js';

interface Vector {
  readonly salt: string;
  readonly session_id: string;
  readonly traffic_bucket: number;
  readonly arm_bucket: number;
  readonly outside_of_half_traffic: boolean;
  readonly variant: string;
}

const PAGE = new URL('../../../../docs/experiments/', import.meta.url);
const VECTORS = JSON.parse(readFileSync(new URL('assignment-vectors.json', PAGE), 'utf8')) as Vector[];
const SALT = '9f86d081884c7d659a2feaa0c55ad015';
const BUCKETS = 2 ** 48;
const anyId = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 128 });

describe('the arm of a session', () => {
  it.each(VECTORS)('the arm of a session is that of the page for $salt and $session_id', (vector) => {
    const { salt, session_id: sessionId } = vector;
    expect(placeOf(salt, 'traffic', sessionId) * BUCKETS).toBe(vector.traffic_bucket);
    expect(placeOf(salt, 'arm', sessionId) * BUCKETS).toBe(vector.arm_bucket);
    expect(assignArm({ salt, traffic: 1, control: 0.5 }, sessionId)).toBe(vector.variant);
    expect(assignArm({ salt, traffic: 0.5, control: 0.5 }, sessionId)).toBe(
      vector.outside_of_half_traffic ? null : vector.variant,
    );
  });

  it('the arm of a session is a documented hash over UTF-8 bytes, so that every language agrees', () => {
    fc.assert(
      fc.property(anyId, (sessionId) => {
        const bytes = Buffer.from(`${SALT}:arm:${sessionId}`, 'utf8');
        const bucket = createHash('sha256').update(bytes).digest().readUIntBE(0, 6);
        expect(placeOf(SALT, 'arm', sessionId)).toBe(bucket / BUCKETS);
      }),
    );
  });

  it('the arm of a session is the same whatever the traffic, for all who take part', () => {
    const traffic = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(anyId, traffic, (sessionId, share) => {
        const arm = assignArm({ salt: SALT, traffic: share, control: 0.5 }, sessionId);
        if (arm !== null) expect(arm).toBe(assignArm({ salt: SALT, traffic: 1, control: 0.5 }, sessionId));
      }),
    );
  });

  it('no session takes part at traffic 0, all do at 1, and an allocation of 1 and 0 fills one arm', () => {
    fc.assert(
      fc.property(anyId, (sessionId) => {
        expect(assignArm({ salt: SALT, traffic: 0, control: 0.5 }, sessionId)).toBeNull();
        expect(assignArm({ salt: SALT, traffic: 1, control: 1 }, sessionId)).toBe('control');
        expect(assignArm({ salt: SALT, traffic: 1, control: 0 }, sessionId)).toBe('treatment');
      }),
    );
  });

  it('assignment is even: each gate divides sessions by its shares, independently of other salts', () => {
    const sessions = Array.from({ length: 40_000 }, (_, index) => `session ${index}`);
    const inTraffic = sessions.filter((id) => placeOf(SALT, 'traffic', id) < 0.3);
    const arms = inTraffic.filter((id) => placeOf(SALT, 'arm', id) < 0.2);
    const elsewhere = arms.filter((id) => placeOf(`${SALT}0`, 'arm', id) < 0.5);
    // Four standard deviations of the binomial: a wrong gate is off by hundreds.
    expect(Math.abs(inTraffic.length - 12_000)).toBeLessThan(4 * Math.sqrt(40_000 * 0.3 * 0.7));
    expect(Math.abs(arms.length - inTraffic.length * 0.2)).toBeLessThan(
      4 * Math.sqrt(inTraffic.length * 0.16),
    );
    expect(Math.abs(elsewhere.length - arms.length / 2)).toBeLessThan(2 * Math.sqrt(arms.length));
  });
});
