import { describe, expect, it } from '@jest/globals';
import type { SettlementVersion } from './decide-settlement.js';
import { decideSettlements } from './decide-settlements.js';
import { toMicroInstant } from './instants.js';

const FROM_MS = Date.UTC(2026, 2, 1);
const MANY = 100_000;
const SEEN_AT = '2026-03-10T00:00:00.000000Z';

function versionAt(second: number, said: Partial<SettlementVersion> = {}): SettlementVersion {
  return {
    settlementId: 'settlement',
    siteId: 'site',
    provider: 'awin',
    providerTransactionId: '1',
    orderReference: null,
    referenceHash: null,
    status: second % 2 === 0 ? 'pending' : 'approved',
    currency: 'EUR',
    commissionable: 100n,
    commission: BigInt(second),
    transactionAt: SEEN_AT,
    updatedAt: toMicroInstant({ epochMs: FROM_MS + second * 1_000, subMillisecond: '' }),
    ...said,
  };
}

describe('the states of one settlement', () => {
  // A copy of the states for each of them takes hours, which ends the test.
  it('settlement states are decided in one pass, a hundred thousand of them at a time', () => {
    const offered = Array.from({ length: MANY }, (_, second) => ({
      version: versionAt(second),
      isChangeTimed: true,
    }));
    const { kept, states, counted, changes } = decideSettlements(offered, new Map(), SEEN_AT);
    expect(new Set(kept)).toEqual(new Set(['kept']));
    expect([states.length, counted.length]).toEqual([MANY - 1, MANY]);
    expect(changes).toEqual([{ before: undefined, after: versionAt(MANY - 1) }]);
  });

  it('settlement states are compared with those before them, in the transaction and stored', () => {
    const current = versionAt(5);
    const known = new Map([['settlement', { current, states: new Map([[current.updatedAt, current]]) }]]);
    const offered = [
      versionAt(7),
      versionAt(7),
      versionAt(7, { commission: 1n }),
      versionAt(5),
      versionAt(6),
    ];
    const decided = decideSettlements(
      offered.map((version) => ({ version, isChangeTimed: true })),
      known,
      SEEN_AT,
    );
    expect(decided.kept).toEqual(['kept', 'kept', 'contradicts', 'kept', 'kept']);
    expect(decided.states).toEqual([versionAt(6)]);
    expect(decided.changes).toEqual([{ before: current, after: versionAt(7) }]);
    expect(known.get('settlement')?.states.size).toBe(1);
  });

  it('settlement states without a time of change have that of observation, in their order', () => {
    const amounts = [1n, 2n, 2n, 3n];
    const { counted } = decideSettlements(
      amounts.map((commission) => ({ version: versionAt(0, { commission }), isChangeTimed: false })),
      new Map(),
      SEEN_AT,
    );
    expect(counted.map(({ version: { updatedAt, commission } }) => [updatedAt, commission])).toEqual([
      ['2026-03-01T00:00:00.000000Z', 1n],
      [SEEN_AT, 2n],
      ['2026-03-10T00:00:00.000001Z', 3n],
    ]);
  });
});
