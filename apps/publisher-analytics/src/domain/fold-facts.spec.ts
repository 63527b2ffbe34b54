import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { facts, factsToldAgain, SITE_ID } from '../testing/arbitrary-facts.js';
import { PublisherModel, type Told } from '../testing/publisher-model.js';
import { Calendar } from '@truetally/kernel';

const BERLIN = new Calendar('Europe/Berlin');

function reportOf(transactions: readonly (readonly Told[])[]): Readonly<Record<string, bigint>> {
  const model = new PublisherModel(BERLIN);
  for (const told of transactions) model.tell(told);
  return model.report();
}

function sumOf(report: Readonly<Record<string, bigint>>, level: string, measure: string): bigint {
  return Object.entries(report)
    .filter(([name]) => name.startsWith(`total|${SITE_ID}|${level}|`) && name.endsWith(`|${measure}`))
    .reduce((sum, [, value]) => sum + value, 0n);
}

describe('folding facts into sums', () => {
  it('gives the same report for any order, repetition and grouping of the same facts', () => {
    fc.assert(
      fc.property(factsToldAgain(10), ([told, again, size]) => {
        const groups = Array.from({ length: Math.ceil(again.length / size) }, (_, index) =>
          again.slice(index * size, (index + 1) * size),
        );
        expect(reportOf(groups)).toEqual(reportOf([told]));
      }),
    );
  });

  it('the folded sums are at any time what a recomputation from the facts gives', () => {
    fc.assert(
      fc.property(facts, (told) => {
        const model = new PublisherModel(BERLIN);
        for (const one of told) {
          model.tell([one]);
          expect(model.report()).toEqual(model.recomputed());
        }
      }),
    );
  });

  it('reconciles: levels with each other, statuses with all, standings with clicks and settlements', () => {
    fc.assert(
      fc.property(facts, (told) => {
        const report = reportOf([told]);
        const total = (measure: string): bigint => sumOf(report, 'day', measure);
        for (const measure of [
          'clicks',
          'approved_commission',
          'pending_count',
          'commissionable',
          'matched',
        ]) {
          expect(sumOf(report, 'month', measure)).toBe(total(measure));
          expect(sumOf(report, 'year', measure)).toBe(total(measure));
        }
        const settlements = new Set(
          told.flatMap((one) => (one.kind === 'settlement' ? [one.version.settlementId] : [])),
        );
        const counts = ['pending', 'approved', 'declined', 'reversed'].map((one) => total(`${one}_count`));
        expect(counts.reduce((sum, count) => sum + count, 0n)).toBe(BigInt(settlements.size));
        expect(total('clicks_matched') + total('clicks_ambiguous') <= total('clicks')).toBe(true);
        expect(total('matched') + total('ambiguous') <= total('with_reference')).toBe(true);
        expect(Object.values(report).every((sum) => sum >= 0n)).toBe(true);
      }),
    );
  });
});
