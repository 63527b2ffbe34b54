import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { ExperimentShop, ordersOf } from '../experiment-shop.js';
import { type AnswerWalk, membersHeaders, pageHeaders } from './answer-walk.js';

const CREATED = 201;
const OK = 200;
const EXPERIMENTS = 'partner-experiments';

/** Answers about partner experiments, empty and with everything that can be measured. */
export function experimentAnswers(walk: () => AnswerWalk): void {
  describe('partner experiments', () => {
    let shop: ExperimentShop;

    beforeAll(async () => {
      shop = await ExperimentShop.open(walk().product);
      await shop.rule({ provider: 'awin', type: 'percentage', rate: '0.05' });
    });

    const sent = (method: string, path: string, json?: object) =>
      walk().succeed(method, path, {
        headers: membersHeaders(shop.merchant),
        ...(json !== undefined && { json }),
      });

    it('one from its draft to its deletion', async () => {
      const body = shop.body([await shop.campaign()], { eligibility: { providers: ['awin'] } });
      const { id } = await sent('POST', EXPERIMENTS, body);
      await sent('GET', EXPERIMENTS);
      await sent('GET', `${EXPERIMENTS}/${id}`);
      await sent('PATCH', `${EXPERIMENTS}/${id}`, { hypothesis: 'More is sold.' });
      await sent('GET', `${EXPERIMENTS}/${id}/results`);
      await sent('GET', `${EXPERIMENTS}/${id}/results/series`);
      await sent('DELETE', `${EXPERIMENTS}/${id}`);
    });

    it('sessions, orders, results, their series and their file', async () => {
      const { id } = await shop.running();
      const { purchase, adjustment, cancellation } = ordersOf(shop);
      const sessions = Array.from({ length: 8 }, () => randomUUID());
      for (const [index, session] of sessions.entries()) {
        const { assignment_id } = await shop.assigned(session);
        const changes = { cost: 4, experiment_assignment_ids: [assignment_id] };
        await shop.convert(purchase(`order-${index}`, 10 + index, changes));
      }
      const [first = ''] = sessions;
      const assign = (sessionId: string) =>
        walk().send('POST', `${EXPERIMENTS}/assignments`, {
          headers: pageHeaders(shop),
          json: { session_id: sessionId },
        });
      expect((await assign(first)).status).toBe(OK);
      const last = randomUUID();
      await shop.touch(last);
      const assigned = await eventually(async () => {
        const answered = await assign(last);
        return answered.data.assignments.length > 0 && answered;
      });
      expect(assigned.status).toBe(CREATED);
      await walk().succeed('GET', `public/overlays?session_id=${first}`, { headers: pageHeaders(shop) });
      await shop.convert(adjustment('order-0', -2));
      await shop.convert(cancellation('order-1', 11));
      await shop.resultsWhen(id, ({ refunds, cancellations }) => refunds.count + cancellations.count === 2);
      await sent('PATCH', `${EXPERIMENTS}/${id}/exclusions`, { sessions_per_network: 5 });
      await shop.resultsWhen(
        id,
        ({ exclusions }) => exclusions.sessions.control + exclusions.sessions.treatment > 0,
      );
      await sent('GET', `${EXPERIMENTS}/${id}/results`);
      await sent('PATCH', `${EXPERIMENTS}/${id}/exclusions`, { sessions_per_network: null });
      await shop.resultsWhen(id, ({ exclusions }) => exclusions.state === 'none');
      for (const action of ['pause', 'resume', 'stop']) await sent('POST', `${EXPERIMENTS}/${id}/${action}`);
      await sent('GET', `${EXPERIMENTS}/${id}/results`);
      await sent('GET', `${EXPERIMENTS}/${id}/results/series?interval=day`);
      await sent('GET', `${EXPERIMENTS}/${id}/results.csv`);
    });

    it('a start, and a sample size with and without its days', async () => {
      const { id } = await shop.draft();
      await sent('POST', `${EXPERIMENTS}/${id}/start`);
      const query = 'baseline_rate=0.1&minimum_detectable_effect=0.2';
      await sent('GET', `${EXPERIMENTS}/required-sample?${query}&daily_sessions=1000`);
      await sent('GET', `${EXPERIMENTS}/required-sample?${query}`);
      await sent('GET', `${EXPERIMENTS}/required-sample?baseline_rate=0&minimum_detectable_effect=0.2`);
    });
  });
}
