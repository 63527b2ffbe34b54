import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ExperimentResource } from '@truetally/contracts/experiments';
import { campaignsTaken, experimentRecord, patchExperiment } from './experiment.js';

const [SITE, CAMPAIGN, OTHER] = [randomUUID(), randomUUID(), randomUUID()];
const EXPERIMENT: ExperimentResource = {
  id: randomUUID(),
  created_at: '2026-01-30T00:00:00.000Z',
  updated_at: '2026-01-30T00:00:00.000Z',
  version: 3,
  workspace_id: randomUUID(),
  site_id: SITE,
  name: 'Welcome offer',
  hypothesis: 'They buy more.',
  surface: 'overlay',
  campaign_ids: [CAMPAIGN, OTHER],
  eligibility: { providers: ['awin'], partner_ids: ['blog'] },
  traffic: 0.7,
  allocation: { control: 0.2, treatment: 0.8 },
  primary_metric: 'revenue_per_session',
  alpha: 0.01,
  power: 0.9,
  minimum_detectable_effect: 0.3,
  baseline_rate: 0.04,
  attribution_window_days: 30,
  exclusions: { sessions_per_network: 20 },
  state: 'draft',
  salt: 'ab',
  started_at: null,
  stopped_at: null,
};

const errorsOf = (patch: unknown): unknown => {
  const reading = patchExperiment(EXPERIMENT, patch);
  return reading.ok ? undefined : reading.error;
};

describe('interface page, section 7: a draft after a patch', () => {
  it('keeps every field that the patch does not name', () => {
    const { id, created_at, updated_at, version, workspace_id, state, salt, exclusions, ...rest } =
      EXPERIMENT;
    const { started_at, stopped_at, ...fields } = rest;
    expect([
      id,
      created_at,
      updated_at,
      version,
      workspace_id,
      state,
      salt,
      exclusions,
      started_at,
      stopped_at,
    ]).toHaveLength(10);
    expect(patchExperiment(EXPERIMENT, {})).toEqual({ ok: true, value: fields });
    expect(patchExperiment(EXPERIMENT, { name: 'New', traffic: 1 })).toEqual({
      ok: true,
      value: { ...fields, name: 'New', traffic: 1 },
    });
  });

  it('a patched draft is validated like a new one', () => {
    expect(errorsOf({ traffic: 2 })).toEqual({ traffic: [expect.any(String)] });
    expect(errorsOf({ name: null })).toEqual({ name: [expect.any(String)] });
  });

  it('stays with its site, in whatever case it is written', () => {
    expect(errorsOf({ site_id: SITE })).toBeUndefined();
    expect(patchExperiment(EXPERIMENT, { site_id: SITE.toUpperCase() })).toMatchObject({
      ok: true,
      value: { site_id: SITE },
    });
    for (const site_id of [randomUUID(), null, 5, { toString: 1, valueOf: 1 }])
      expect(errorsOf({ site_id })).toEqual({ site_id: ['cannot be changed'] });
    expect(errorsOf({ site_id: randomUUID(), traffic: 2 })).toEqual({
      site_id: ['cannot be changed'],
      traffic: [expect.any(String)],
    });
  });

  it.each([['text'], [null], [[1]]])('a patch of a draft is refused when it is %j', (patch) => {
    expect(patchExperiment(EXPERIMENT, patch).ok).toBe(false);
  });
});

describe('campaigns of running and paused experiments', () => {
  const live = { ...EXPERIMENT, id: randomUUID(), campaign_ids: [OTHER] };

  it('campaigns that another experiment has are named as taken, at their place in this one', () => {
    expect(campaignsTaken(EXPERIMENT, [live])).toEqual([{ place: 1, by: live.id }]);
    expect(campaignsTaken({ ...EXPERIMENT, campaign_ids: [CAMPAIGN] }, [live])).toEqual([]);
  });

  it('campaigns are not taken by the experiment itself', () => {
    expect(campaignsTaken(EXPERIMENT, [EXPERIMENT])).toEqual([]);
    expect(campaignsTaken(EXPERIMENT, [])).toEqual([]);
  });
});

describe('the published record of an experiment', () => {
  it('tells gateways what it withholds, and nothing of its plan', () => {
    expect(experimentRecord(EXPERIMENT)).toEqual({
      experiment_id: EXPERIMENT.id,
      site_id: SITE,
      workspace_id: EXPERIMENT.workspace_id,
      state: 'draft',
      surface: 'overlay',
      campaign_ids: [CAMPAIGN, OTHER],
      version: 3,
    });
  });
});
