import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  EXPERIMENT_STATES,
  type ExperimentResource,
  type ExperimentState,
  type RequiredSample,
} from '@truetally/contracts/experiments';
import type { AuditEntryResource } from '@truetally/contracts/management';
import type { Page } from '@truetally/contracts/resource';
import { eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { dataOf, ExperimentShop } from '../experiment-shop.js';
import { Merchant } from '../merchant.js';
import { ORIGIN } from '../touch-page.js';

const PATH = 'partner-experiments';
const WAY: Readonly<Record<ExperimentState, readonly string[]>> = {
  draft: [],
  running: ['start'],
  paused: ['start', 'pause'],
  stopped: ['start', 'stop'],
};
const ALLOWED: Readonly<Record<string, string>> = {
  'start draft': 'running',
  'pause running': 'paused',
  'resume paused': 'running',
  'stop running': 'stopped',
  'stop paused': 'stopped',
};

/** Management of experiments over HTTP. */
export function managementSuite(product: () => Product): void {
  describe('interface page, section 7: management of experiments', () => {
    let shop: ExperimentShop;
    let campaign: string;

    beforeAll(async () => {
      shop = await ExperimentShop.open(product());
      campaign = await shop.campaign();
    });

    const inState = async (state: ExperimentState): Promise<ExperimentResource> => {
      let experiment = await shop.draft();
      for (const action of WAY[state]) experiment = dataOf(await shop.act(experiment.id, action));
      expect(experiment.state).toBe(state);
      return experiment;
    };

    it('an experiment has every default, is listed, read, changed and deleted as a draft', async () => {
      const campaignId = await shop.campaign();
      const answer = await shop.merchant.post<ExperimentResource>(PATH, shop.body([campaignId]));
      expect(answer.status).toBe(201);
      const experiment = dataOf(answer);
      expect(experiment).toMatchObject({
        site_id: shop.site.id,
        state: 'draft',
        hypothesis: null,
        surface: 'overlay',
        campaign_ids: [campaignId],
        eligibility: { providers: [], partner_ids: [] },
        traffic: 1,
        allocation: { control: 0.5, treatment: 0.5 },
        primary_metric: 'conversion',
        alpha: 0.05,
        power: 0.8,
        attribution_window_days: 7,
        version: 1,
        started_at: null,
      });
      const listed = await shop.merchant.get<Page<ExperimentResource>>(
        `${PATH}?site_id=${shop.site.id}&limit=1`,
      );
      expect(dataOf(listed).items).toEqual([experiment]);
      const path = `${PATH}/${experiment.id}`;
      expect(dataOf(await shop.merchant.get(path))).toEqual(experiment);
      const patch = {
        name: 'Renamed',
        allocation: { control: 0.2, treatment: 0.8 },
        hypothesis: 'More orders',
      };
      const changed = await shop.merchant.patch<ExperimentResource>(path, patch, { 'if-match': '"1"' });
      expect([changed.status, changed.body.data]).toEqual([
        200,
        expect.objectContaining({ ...patch, version: 2 }),
      ]);
      expect((await shop.merchant.patch(path, { name: 'Again' }, { 'if-match': '"1"' })).status).toBe(409);
      expect((await shop.merchant.patch(path, { site_id: randomUUID() })).body.error?.details).toEqual({
        site_id: ['cannot be changed'],
      });
      const deleted = await shop.merchant.delete(path);
      expect([deleted.status, deleted.body.data]).toEqual([200, { id: experiment.id, deleted: true }]);
      expect((await shop.merchant.get(path)).status).toBe(404);
      const log = await eventually(async () => {
        const page = await shop.merchant.get<Page<AuditEntryResource>>(
          `audit-log?resource_id=${experiment.id}`,
        );
        const { items } = dataOf(page);
        return items.length === 3 ? items : undefined;
      });
      expect(log.map(({ action, resource }) => `${action} ${resource}`).sort()).toEqual([
        'create partner_experiment',
        'delete partner_experiment',
        'update partner_experiment',
      ]);
    });

    it.each(EXPERIMENT_STATES)(
      'allows the transitions from %s on the page, and all others are conflicts',
      async (state) => {
        for (const action of ['start', 'pause', 'resume', 'stop']) {
          const experiment = await inState(state);
          const answer = await shop.act(experiment.id, action);
          const next = ALLOWED[`${action} ${state}`];
          expect([action, answer.status, answer.body.data?.state]).toEqual([action, next ? 200 : 409, next]);
          // It has its own campaign, so that experiments of other rounds can start.
          expect(answer.body.error?.code).toBe(next ? undefined : 'CONFLICT');
        }
      },
    );

    it.each(['running', 'paused', 'stopped'] as const)(
      'an experiment is edited and deleted only in draft, not %s',
      async (state) => {
        const { id } = await inState(state);
        for (const change of [
          { traffic: 0.5 },
          { allocation: { control: 0.1, treatment: 0.9 } },
          { name: 'New' },
        ]) {
          const answer = await shop.merchant.patch(`${PATH}/${id}`, change);
          expect([answer.status, Object.keys(answer.body.error?.details ?? {})]).toEqual([409, ['state']]);
        }
        expect((await shop.merchant.delete(`${PATH}/${id}`)).status).toBe(409);
      },
    );

    it('two that share a campaign cannot run or pause at once', async () => {
      const campaignId = await shop.campaign();
      const [first, second] = [await shop.draft({}, [campaignId]), await shop.draft({}, [campaignId])];
      await shop.act(first.id, 'start');
      for (const action of ['pause', 'resume']) {
        const answer = await shop.act(second.id, 'start');
        expect([answer.status, Object.keys(answer.body.error?.details ?? {})]).toEqual([
          409,
          ['campaign_ids.0'],
        ]);
        await shop.act(first.id, action);
      }
      await shop.act(first.id, 'stop');
      expect((await shop.act(second.id, 'start')).status).toBe(200);
    });

    it('a site runs or pauses at most 50 experiments at once', async () => {
      const full = await ExperimentShop.open(product(), {}, shop.merchant);
      const drafts = await Promise.all(Array.from({ length: 51 }, () => full.draft()));
      const answers = await Promise.all(drafts.map(({ id }) => full.act(id, 'start')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
      const refused = answers.find(({ status }) => status === 409);
      expect(Object.keys(refused?.body.error?.details ?? {})).toEqual(['site_id']);
    });

    it('names campaigns of this site and surface, and nothing else', async () => {
      const other = await ExperimentShop.open(product(), {}, shop.merchant);
      const [own, theirs, chatbot] = [
        await shop.campaign(),
        await other.campaign(),
        await shop.campaign('chatbot'),
      ];
      const answer = await shop.merchant.post(PATH, shop.body([own, theirs, chatbot, randomUUID()]));
      expect([answer.status, Object.keys(answer.body.error?.details ?? {})]).toEqual([
        400,
        ['campaign_ids.1', 'campaign_ids.2', 'campaign_ids.3'],
      ]);
    });

    it('belongs to its workspace: another one’s ids are 404 everywhere, in bodies too; an analyst reads only', async () => {
      const experiment = await shop.draft();
      const outsider = await Merchant.join(product());
      const paths = ['', '/results', '/results/series', '/results.csv'];
      for (const path of paths)
        expect((await outsider.get(`${PATH}/${experiment.id}${path}`)).status).toBe(404);
      for (const action of ['start', 'pause', 'resume', 'stop'])
        expect((await outsider.post(`${PATH}/${experiment.id}/${action}`, null)).status).toBe(404);
      expect((await outsider.patch(`${PATH}/${experiment.id}`, { name: 'Mine' })).status).toBe(404);
      expect((await outsider.delete(`${PATH}/${experiment.id}`)).status).toBe(404);
      expect((await outsider.post(PATH, shop.body(experiment.campaign_ids))).status).toBe(404);
      expect((await outsider.get(`${PATH}?site_id=${shop.site.id}`)).status).toBe(404);
      const analyst = await shop.merchant.invite('analyst');
      for (const path of paths)
        expect((await analyst.get(`${PATH}/${experiment.id}${path}`)).status).toBe(200);
      expect((await analyst.post(`${PATH}/${experiment.id}/start`, null)).status).toBe(403);
      expect((await analyst.post(PATH, {})).status).toBe(403);
    });

    it('an experiment is a member’s: API keys and runtime tokens are 401 on every route of it', async () => {
      const { id } = await shop.draft();
      const reads = ['', `/${id}`, `/${id}/results`, `/${id}/results/series`, `/${id}/results.csv`];
      const posts = ['', ...['start', 'pause', 'resume', 'stop'].map((action) => `/${id}/${action}`)];
      const page = { authorization: `Bearer ${shop.token}`, origin: ORIGIN };
      for (const headers of [{ 'x-api-key': shop.key }, page, {}]) {
        const ask = (path: string, options: object) =>
          request(`${product().baseUrl}/${PATH}${path}`, { headers, ...options });
        for (const path of [...reads, '/required-sample']) expect((await ask(path, {})).status).toBe(401);
        for (const path of posts) expect((await ask(path, { json: {} })).status).toBe(401);
        expect((await ask(`/${id}`, { method: 'PATCH', json: {} })).status).toBe(401);
        expect((await ask(`/${id}`, { method: 'DELETE' })).status).toBe(401);
      }
      expect((await shop.merchant.get<ExperimentResource>(`${PATH}/${id}`)).body.data?.state).toBe('draft');
    });

    // With a campaign that is known: a command that names another one is answered after two seconds, in which it may come.
    it.each(BAD_BODIES)('refuses %o', async (changes, paths) => {
      const answer = await shop.merchant.post(PATH, { ...shop.body([campaign]), ...changes });
      expect(answer.body.error?.code).toBe('VALIDATION_ERROR');
      expect(Object.keys(answer.body.error?.details ?? {}).sort()).toEqual(paths);
    });

    it('accepts numbers at the limits, and reports what cannot be computed with them', async () => {
      const experiment = await shop.running({
        traffic: 0,
        allocation: { control: 1, treatment: 0 },
        minimum_detectable_effect: 1e-12,
        baseline_rate: 1,
        attribution_window_days: 90,
        alpha: 0.999,
      });
      const { text, body } = await shop.results(experiment.id);
      expect(text).not.toMatch(/NaN|Infinity/);
      expect(body.data?.power).toMatchObject({
        required_sessions_per_arm: null,
        reason: 'effect_beyond_all_sessions',
      });
      expect(body.data?.effects.conversion).toMatchObject({ absolute: null, reason: 'no_sessions' });
      expect(body.data?.arms.control.revenue_per_session).toMatchObject({
        value: null,
        reason: 'no_sessions',
      });
    });

    it('required-sample is the same formula as power', async () => {
      const ask = (query: string) => shop.merchant.get<RequiredSample>(`${PATH}/required-sample?${query}`);
      const plan = 'baseline_rate=0.1&minimum_detectable_effect=0.2';
      expect(dataOf(await ask(`${plan}&daily_sessions=1000`))).toEqual({
        required_sessions_per_arm: 3_839,
        total_sessions: 7_678,
        days: 8,
      });
      expect(dataOf(await ask(`${plan}&control_share=0.2`))).toEqual({
        required_sessions_per_arm: 3_839,
        total_sessions: 19_195,
        days: null,
      });
      const { power } = dataOf(await shop.results((await shop.draft()).id));
      expect(power.required_sessions_per_arm).toBe(3_839);
      const bad = await ask(
        'baseline_rate=2&minimum_detectable_effect=0&alpha=1&power=0&control_share=1&daily_sessions=-1',
      );
      expect([bad.status, Object.keys(bad.body.error?.details ?? {}).sort()]).toEqual([
        400,
        ['alpha', 'baseline_rate', 'control_share', 'daily_sessions', 'minimum_detectable_effect', 'power'],
      ]);
      expect(Object.keys((await ask('')).body.error?.details ?? {}).sort()).toEqual([
        'baseline_rate',
        'minimum_detectable_effect',
      ]);
    });

    it('the same Idempotency-Key replays the first answer', async () => {
      const body = shop.body([await shop.campaign()]);
      const headers = { 'idempotency-key': randomUUID() };
      const [first, second] = [
        await shop.merchant.post<ExperimentResource>(PATH, body, headers),
        await shop.merchant.post<ExperimentResource>(PATH, body, headers),
      ];
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(second.body.data).toEqual(first.body.data);
    });
  });
}

const BAD_BODIES: readonly (readonly [object, readonly string[]])[] = [
  [{ site_id: 'x', name: ' ', surface: 'email' }, ['name', 'site_id', 'surface']],
  [{ campaign_ids: [] }, ['campaign_ids']],
  [{ campaign_ids: ['x'] }, ['campaign_ids.0']],
  [{ traffic: -0.1 }, ['traffic']],
  [{ traffic: 1.1 }, ['traffic']],
  [{ traffic: '1' }, ['traffic']],
  [{ allocation: { control: 0.6, treatment: 0.5 } }, ['allocation']],
  [{ allocation: { control: 2, treatment: -1 } }, ['allocation.control', 'allocation.treatment']],
  [{ allocation: { control: 1 } }, ['allocation.treatment']],
  [{ primary_metric: 'clicks' }, ['primary_metric']],
  [{ alpha: 0 }, ['alpha']],
  [{ alpha: 1 }, ['alpha']],
  [{ power: 0 }, ['power']],
  [{ power: 1 }, ['power']],
  [{ minimum_detectable_effect: 0 }, ['minimum_detectable_effect']],
  [{ minimum_detectable_effect: -0.1 }, ['minimum_detectable_effect']],
  [{ minimum_detectable_effect: null, baseline_rate: null }, ['baseline_rate', 'minimum_detectable_effect']],
  [{ baseline_rate: 1.5 }, ['baseline_rate']],
  [{ attribution_window_days: 0 }, ['attribution_window_days']],
  [{ attribution_window_days: 91 }, ['attribution_window_days']],
  [{ attribution_window_days: 1.5 }, ['attribution_window_days']],
  [
    { eligibility: { providers: ['AWIN'], partner_ids: [''] } },
    ['eligibility.partner_ids.0', 'eligibility.providers.0'],
  ],
  [{ hypothesis: 7 }, ['hypothesis']],
  [{ winner: 'treatment' }, ['winner']],
];
