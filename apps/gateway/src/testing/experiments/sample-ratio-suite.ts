import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ExperimentResource, ExperimentResults, Variant } from '@truetally/contracts/experiments';
import { eventually } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { ExperimentShop, sessionIn } from '../experiment-shop.js';

const DESKTOP =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const MOBILE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

/** Simulates a page that loses most phones of control from one partner. */
const VISITORS: readonly (readonly [arm: Variant, provider: string, userAgent: string, count: number])[] = [
  ['control', 'awin', DESKTOP, 30],
  ['treatment', 'awin', DESKTOP, 30],
  ['control', 'cj', MOBILE, 5],
  ['treatment', 'cj', MOBILE, 45],
];

const TOUCHES_AT_ONCE = 20;

/** A sample that differs from its allocation, and the breakdown that shows the cause. */
export function sampleRatioSuite(product: () => Product): void {
  describe('interface page, section 7: sample ratio', () => {
    let shop: ExperimentShop;
    let experiment: ExperimentResource;
    let results: ExperimentResults;
    const begunAt = new Date();

    /** Retries until its touch makes it eligible. */
    const visit = (sessionId: string, userAgent: string): Promise<unknown> =>
      eventually(async () => {
        const options = { headers: { 'user-agent': userAgent } };
        return (await shop.assign(sessionId, options)).body.data?.assignments.at(0);
      });

    beforeAll(async () => {
      shop = await ExperimentShop.open(product());
      experiment = await shop.running();
      const visitors = VISITORS.flatMap(([arm, provider, userAgent, count]) =>
        Array.from({ length: count }, () => ({ id: sessionIn(arm, experiment), provider, userAgent })),
      );
      for (let sent = 0; sent < visitors.length; sent += TOUCHES_AT_ONCE) {
        const some = visitors.slice(sent, sent + TOUCHES_AT_ONCE);
        const { status } = await shop.touchAll(
          some.map(({ id, provider }) => ({ session_id: id, provider })),
        );
        expect(status).toBe(201);
      }
      // The last first: when its touch is known, hardly another one has to try again.
      for (const some of [visitors.slice(-1), visitors])
        await Promise.all(some.map(({ id, userAgent }) => visit(id, userAgent)));
      results = await shop.resultsWhen(
        experiment.id,
        ({ arms }) => arms.control.eligible_sessions + arms.treatment.eligible_sessions === 110,
      );
    });

    it('a sample ratio is a mismatch when p < 0.001, with the expected and observed shares', () => {
      // 2 × 20² / 55 = 14.545, of which SciPy's chi2.sf(160 / 11, 1) is 0.000137.
      expect(results.sample_ratio).toMatchObject({
        state: 'mismatch',
        expected: { control: 55, treatment: 55 },
        observed: { control: 35, treatment: 75 },
      });
      expect(results.sample_ratio.chi_square).toBeCloseTo(160 / 11, 9);
      expect(results.sample_ratio.p_value).toBeCloseTo(0.000137, 6);
    });

    it('results tell that all sessions came from one network, and have asked for no session’s events yet', () => {
      expect(results.concentration).toEqual({
        state: 'concentrated',
        sampled: 110,
        largest_network_share: 1,
      });
      expect(results.unseen_sessions).toMatchObject({ state: 'insufficient', sampled: 0, share: null });
    });

    it('a sample ratio is broken down by day, provider and device class of the first touch', () => {
      const { day, provider, device } = results.sample_ratio.breakdown;
      const observed = (parts: typeof day) => parts.map(({ value, observed: counts }) => [value, counts]);
      expect(observed(provider)).toEqual([
        ['awin', { control: 30, treatment: 30 }],
        ['cj', { control: 5, treatment: 45 }],
      ]);
      expect(observed(device)).toEqual([
        ['desktop', { control: 30, treatment: 30 }],
        ['mobile', { control: 5, treatment: 45 }],
      ]);
      // Fewer than 100 sessions each: reported, but not judged.
      expect(provider.map(({ state }) => state)).toEqual(['insufficient', 'insufficient']);
      expect(provider[1]?.chi_square).toBeCloseTo(32, 9);
      const counted = (arm: Variant): number => day.reduce((sum, part) => sum + part.observed[arm], 0);
      expect([counted('control'), counted('treatment')]).toEqual([35, 75]);
      const days = [begunAt, new Date()].map((at) => at.toISOString().slice(0, 10));
      expect(days).toEqual(expect.arrayContaining(day.map(({ value }) => value)));
    });

    it('a rule excludes the sessions of a network that has too many, is listed with the results, and readmits them', async () => {
      const exclude = async (sessions_per_network: number | null): Promise<ExperimentResults> => {
        const answer = await shop.merchant.patch(`partner-experiments/${experiment.id}/exclusions`, {
          sessions_per_network,
        });
        expect(answer.status).toBe(200);
        return shop.resultsWhen(
          experiment.id,
          ({ experiment: { exclusions: rule }, exclusions }) =>
            rule.sessions_per_network === sessions_per_network && exclusions.state !== 'pending',
        );
      };
      const excluded = await exclude(109);
      expect(excluded.exclusions).toMatchObject({
        state: 'applied',
        sessions: { control: 35, treatment: 75 },
        changes: [{ sessions_per_network: 109 }],
      });
      const eligible = ({ arms }: ExperimentResults) =>
        [arms.control, arms.treatment].map(({ eligible_sessions }) => eligible_sessions);
      expect(eligible(excluded)).toEqual([0, 0]);
      expect(excluded.sample_ratio.state).toBe('insufficient');
      const loosened = await exclude(110);
      expect(eligible(loosened)).toEqual([35, 75]);
      const readmitted = await exclude(null);
      expect({ ...readmitted, exclusions: undefined, experiment: undefined }).toEqual({
        ...results,
        exclusions: undefined,
        experiment: undefined,
      });
      expect(readmitted.exclusions).toMatchObject({
        state: 'none',
        sessions: { control: 0, treatment: 0 },
        changes: [
          { sessions_per_network: null },
          { sessions_per_network: 110 },
          { sessions_per_network: 109 },
        ],
      });
    });

    it('an exclusion is a whole number of sessions from 1 to 1,000, or none', async () => {
      const path = `partner-experiments/${experiment.id}/exclusions`;
      for (const [body, field] of [
        [{ sessions_per_network: 0 }, 'sessions_per_network'],
        [{ sessions_per_network: 1_001 }, 'sessions_per_network'],
        [{ sessions_per_touch: 1 }, 'sessions_per_touch'],
      ] as const) {
        const answer = await shop.merchant.patch(path, body);
        expect(answer.status).toBe(400);
        expect(Object.keys(answer.body.error?.details ?? {})).toEqual([field]);
      }
    });

    it('a sample ratio is in the series, too, with its value at the end of each interval', async () => {
      const path = `partner-experiments/${experiment.id}/results/series?interval=day`;
      const answer = await shop.merchant.get<{ series: { sample_ratio: object }[] }>(path);
      expect(answer.body.data?.series.at(-1)?.sample_ratio).toEqual({
        state: 'mismatch',
        p_value: results.sample_ratio.p_value,
      });
    });
  });
}
