import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { facts, factsToldAgain, factsWithErasures, SITE_ID } from '../testing/arbitrary-facts.js';
import { PublisherModel, type Told } from '../testing/publisher-model.js';
import { Calendar } from '@truetally/kernel';
import { versionOf } from './decide-settlement.js';
import { clickFact } from '../testing/click-fact.js';

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

  it('an erased person’s clicks change no sum, and the sums stay those of the facts whatever is told later', () => {
    fc.assert(
      fc.property(factsWithErasures, (groups) => {
        const model = new PublisherModel(BERLIN);
        for (const { told, erased } of groups) {
          model.tell(told);
          const before = model.report();
          model.erase(erased);
          expect(model.report()).toEqual(before);
          expect(model.recomputed()).toEqual(before);
          expect(Object.values(before).every((sum) => sum >= 0n)).toBe(true);
        }
      }),
    );
  });

  it('a replay of a reference with another content takes nothing from the first click, in whatever order they are told', () => {
    const clickOf = (id: string, contentId: string, receivedAt: string): Told => ({
      kind: 'click',
      counted: {
        hash: 'a',
        click: clickFact({
          eventId: id,
          siteId: SITE_ID,
          occurredAt: '2026-03-28T12:00:00.000Z',
          receivedAt,
          contentId,
        }),
      },
    });
    const first = clickOf('z', 'article-1', '2026-03-28T12:00:01.000000Z');
    // It says that it occurred at the same time; when it came is not its sender's to say.
    const replays = ['a', 'b'].map((id) => clickOf(id, 'forged', '2026-03-28T12:00:02.000Z'));
    const settlement: Told = {
      kind: 'settlement',
      version: versionOf(
        {
          providerTransactionId: 't',
          clickReference: null,
          orderReference: null,
          status: 'approved',
          currency: 'EUR',
          commissionable: 10_000n,
          commission: 1_000n,
          transactionAt: '2026-03-28T13:00:00.000000Z',
          updatedAt: '2026-03-28T13:00:00.000000Z',
          isChangeTimed: true,
        },
        { siteId: SITE_ID, provider: 'awin', settlementId: 't', referenceHash: 'a' },
      ),
    };
    for (const told of [
      [first, settlement, ...replays],
      [...replays, settlement, first],
      [settlement, ...replays, first],
    ]) {
      const report = reportOf(told.map((one) => [one]));
      const of = (measure: string): bigint => sumOf(report, 'day', measure);
      expect([of('matched'), of('clicks_matched'), of('clicks_repeated'), of('clicks')]).toEqual([
        1n,
        1n,
        2n,
        3n,
      ]);
      const commission = Object.entries(report).filter(
        ([name]) => name.startsWith('content|') && name.includes('|day|') && name.endsWith('|commission'),
      );
      expect(commission.map(([name, amount]) => [name.split('|')[5], amount])).toEqual([
        ['article-1', 1_000n],
      ]);
    }
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
        expect(total('clicks_matched') + total('clicks_repeated') <= total('clicks')).toBe(true);
        expect(total('matched') <= total('with_reference')).toBe(true);
        expect(Object.values(report).every((sum) => sum >= 0n)).toBe(true);
      }),
    );
  });
});
