import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { eventually, request, uniqueName, untilHourLasts } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { ExperimentShop, sessionIn } from '../experiment-shop.js';
import { ORIGIN } from '../touch-page.js';

/** Assignments, and what an arm withholds, over HTTP. */
export function assignmentSuite(product: () => Product): void {
  describe('interface page, section 7: assignments', () => {
    let shop: ExperimentShop;

    beforeAll(async () => {
      shop = await ExperimentShop.open(product());
    });

    const idsFor = async (sessionId: string, more: object = {}): Promise<readonly string[]> => {
      const { data } = (await shop.assign(sessionId, more)).body;
      return data?.assignments.map(({ experiment_id }) => experiment_id) ?? [];
    };
    const eligible = (sessionId: string, experimentId: string): Promise<unknown> =>
      eventually(async () => (await idsFor(sessionId, { experiment_ids: [experimentId] })).length === 1, {
        message: 'the assignment',
      });

    it('201 when something was newly assigned, 200 otherwise; the same session always gets the same variant', async () => {
      const experiment = await shop.running();
      const sessionId = randomUUID();
      const touchId = randomUUID();
      await shop.touch(sessionId, { touch_id: touchId });
      const statuses: number[] = [];
      const assigned = await eventually(async () => {
        const answer = await shop.assign(sessionId, { experiment_ids: [experiment.id] });
        statuses.push(answer.status);
        return answer.body.data?.assignments[0];
      });
      expect(statuses.at(-1)).toBe(201);
      expect(statuses.slice(0, -1).every((status) => status === 200)).toBe(true);
      expect(assigned).toEqual({
        assignment_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        experiment_id: experiment.id,
        variant: expect.stringMatching(/^(control|treatment)$/),
        campaign_ids: experiment.campaign_ids,
        assigned_at: expect.stringMatching(/Z$/),
      });
      const again = await shop.assign(sessionId, { experiment_ids: [experiment.id] });
      expect([again.status, again.body.data?.assignments]).toEqual([200, [assigned]]);
    });

    it('a burst of 100 concurrent first calls of one session is one assignment', async () => {
      const experiment = await shop.running();
      const sessionId = randomUUID();
      await shop.touch(sessionId);
      await eventually(async () => (await idsFor(sessionId)).length > 0);
      const second = await shop.running();
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => shop.assign(sessionId, { experiment_ids: [second.id] })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
      expect(second.id).not.toBe(experiment.id);
    });

    it('only running experiments whose eligibility the touches meet: one touch that matches providers and partner_ids both', async () => {
      const both = { eligibility: { providers: ['awin'], partner_ids: ['partner-9'] } };
      const [any, one] = [await shop.running(), await shop.running(both)];
      const sessionId = randomUUID();
      // Each condition matches some touch, but no touch matches both.
      await shop.touch(sessionId, { provider: 'awin', partner_id: 'partner-1' });
      await shop.touch(sessionId, { provider: 'cj', partner_id: 'partner-9' });
      await eligible(sessionId, any.id);
      expect(await idsFor(sessionId, { experiment_ids: [one.id] })).toEqual([]);
      await shop.touch(sessionId, { provider: 'awin', partner_id: 'partner-9' });
      await eligible(sessionId, one.id);
      expect(await idsFor(randomUUID())).toEqual([]);
    });

    it('touches are those that name the session, and one in touch_ids that names none makes the first session eligible', async () => {
      const experiment = await shop.running();
      const [named, free] = [randomUUID(), randomUUID()];
      await shop.touch('another session', { touch_id: named });
      await shop.touch('', { touch_id: free, session_id: null });
      const [first, second] = [randomUUID(), randomUUID()];
      const ask = (sessionId: string) =>
        idsFor(sessionId, { experiment_ids: [experiment.id], touch_ids: [named, free] });
      await eventually(async () => (await ask(first)).length === 1);
      expect(await ask(second)).toEqual([]);
      expect(await ask('another session')).toEqual([experiment.id]);
      expect(await ask(first)).toEqual([experiment.id]);
    });

    it('a session outside the traffic gets no assignment; campaign_id and experiment_ids narrow the answer', async () => {
      const [outside, first, second] = [
        await shop.running({ traffic: 0 }),
        await shop.running(),
        await shop.running(),
      ];
      const sessionId = randomUUID();
      await shop.touch(sessionId);
      await eligible(sessionId, first.id);
      expect(await idsFor(sessionId, { experiment_ids: [outside.id, second.id] })).toEqual([second.id]);
      expect(await idsFor(sessionId, { campaign_id: first.campaign_ids[0] })).toEqual([first.id]);
      expect(await idsFor(sessionId, { campaign_id: randomUUID() })).toEqual([]);
    });

    it('a paused experiment answers nothing, also to sessions assigned before; a stopped one neither', async () => {
      const experiment = await shop.running();
      const sessionId = randomUUID();
      await shop.touch(sessionId);
      await eligible(sessionId, experiment.id);
      const narrowed = { experiment_ids: [experiment.id] };
      const before = (await shop.assign(sessionId, narrowed)).body.data;
      await shop.act(experiment.id, 'pause');
      expect(await idsFor(sessionId, narrowed)).toEqual([]);
      await shop.act(experiment.id, 'resume');
      expect((await shop.assign(sessionId, narrowed)).body.data).toEqual(before);
      await shop.act(experiment.id, 'stop');
      expect(await idsFor(sessionId, narrowed)).toEqual([]);
    });

    it('bots are never assigned', async () => {
      const experiment = await shop.running();
      const sessionId = randomUUID();
      await shop.touch(sessionId);
      await eligible(sessionId, experiment.id);
      const later = await shop.running();
      const bot = {
        'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      };
      const answer = await shop.assign(sessionId, { experiment_ids: [later.id], headers: bot });
      expect([answer.status, answer.body.data]).toEqual([200, { assignments: [] }]);
    });

    it.each([
      [{}, ['session_id']],
      [{ session_id: '' }, ['session_id']],
      [{ session_id: 's'.repeat(129) }, ['session_id']],
      [{ session_id: 'a\u0000b' }, ['session_id']],
      [{ session_id: 7 }, ['session_id']],
      [{ session_id: 's', campaign_id: 'x' }, ['campaign_id']],
      [{ session_id: 's', experiment_ids: 'x' }, ['experiment_ids']],
      [{ session_id: 's', experiment_ids: ['x'] }, ['experiment_ids.0']],
      [{ session_id: 's', touch_ids: Array.from({ length: 51 }, String) }, ['touch_ids']],
      [{ session_id: 's', touch_ids: [''] }, ['touch_ids.0']],
    ])('refuse %o', async (body, paths) => {
      const answer = await request(`${product().baseUrl}/partner-experiments/assignments`, {
        json: body,
        headers: { authorization: `Bearer ${shop.token}`, origin: ORIGIN },
      });
      expect([answer.status, Object.keys(answer.body.error?.details ?? {})]).toEqual([400, paths]);
    });

    it('take a runtime token, and are limited like every storefront route', async () => {
      const url = `${product().baseUrl}/partner-experiments/assignments`;
      const json = { session_id: 's' };
      for (const headers of [
        {},
        { 'x-api-key': shop.key },
        { authorization: `Bearer ${shop.merchant.token}` },
      ])
        expect((await request(url, { json, headers })).status).toBe(401);
      await untilHourLasts();
      const small = await ExperimentShop.open(product(), { runtime_hourly_limit: 1 });
      const answers = [await small.assign('s'), await small.assign('s')];
      expect(answers.map(({ status }) => status)).toEqual([200, 429]);
      expect(answers[1]?.headers.get('retry-after')).toMatch(/^\d+$/);
    });
  });

  describe('interface page, section 7: withheld campaigns of an arm', () => {
    it.each([
      ['overlays', 'overlay'],
      ['chatbots', 'chatbot'],
    ] as const)(
      'a session that was assigned control is not given its campaigns by GET /public/%s',
      async (surface, type) => {
        const shop = await ExperimentShop.open(product());
        const [measured, other] = [
          await shop.campaign(type),
          await shop.campaign(type, { name: uniqueName('other') }),
        ];
        const shownTo = async (sessionId?: string): Promise<Readonly<Record<string, boolean>>> => {
          const { items } = (await shop.shown(surface, sessionId)).body.data ?? { items: [] };
          return Object.fromEntries(items.map((item) => [item.campaign_id, item.in_experiment === true]));
        };
        expect(await shownTo('anybody')).toEqual({ [measured]: false, [other]: false });
        const experiment = await shop.running({ surface: type }, [measured]);
        // A session without an assignment gets the same answer as without an experiment, except for the mark.
        await eventually(async () => (await shownTo('anybody'))[measured] === true);
        expect(await shownTo()).toEqual({ [measured]: true, [other]: false });
        const [control, treatment] = [sessionIn('control', experiment), sessionIn('treatment', experiment)];
        expect((await shop.assigned(control)).variant).toBe('control');
        expect((await shop.assigned(treatment)).variant).toBe('treatment');
        expect(await shownTo(control)).toEqual({ [other]: false });
        // A gateway that gets no answer in time, as on a busy machine, withholds them from everybody.
        const shown = await eventually(async () => {
          const all = await shownTo(treatment);
          return measured in all && all;
        });
        expect(shown).toEqual({ [measured]: true, [other]: false });
        await shop.act(experiment.id, 'pause');
        await eventually(async () => (await shownTo(control))[measured] === false);
        await shop.act(experiment.id, 'resume');
        await eventually(async () => !(measured in (await shownTo(control))));
        await shop.act(experiment.id, 'stop');
        await eventually(async () => (await shownTo(control))[measured] === false);
      },
    );
  });

  describe('a deleted site', () => {
    it('a deleted site has no experiments and no results at once; its data is erased', async () => {
      const shop = await ExperimentShop.open(product());
      const experiment = await shop.running();
      await shop.assigned(sessionIn('control', experiment));
      const path = `partner-experiments/${experiment.id}`;
      const deleted = await shop.merchant.delete<{ job_id: string }>(`sites/${shop.site.id}`);
      for (const read of ['', '/results', '/results.csv', '/results/series'])
        expect((await shop.merchant.get(`${path}${read}`)).status).toBe(404);
      await eventually(async () => {
        const job = await shop.merchant.get<{ state: string }>(`jobs/${deleted.body.data?.job_id}`);
        return job.body.data?.state === 'completed';
      });
    });
  });
}
