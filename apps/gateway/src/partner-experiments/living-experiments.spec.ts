import { describe, expect, it } from '@jest/globals';
import type { CampaignRecord, ExperimentRecord } from '@truetally/contracts/facts';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import { type Site, SiteDirectory } from '../credentials/site-directory.js';
import { LivingExperiments } from './living-experiments.js';

const [SITE, DRAFT, RUNNING, KEPT, DELETED] = ['site', 'draft', 'running', 'kept', 'deleted'];

function livingWith(): LivingExperiments {
  const [experiments, sites, campaigns] = [
    new ExperimentDirectory(),
    new SiteDirectory(),
    new CampaignDirectory(),
  ];
  sites.put({ siteId: SITE, version: 7, allowedOrigins: new Set() } as unknown as Site);
  const campaign = { site_id: SITE, version: 3, status: 'paused', name: '', content: {} };
  campaigns.put({ ...campaign, campaign_id: KEPT } as unknown as CampaignRecord, 1);
  campaigns.remove(DELETED ?? '', 1);
  const experiment = { site_id: SITE, version: 1, campaign_ids: [KEPT, DELETED, 'unknown'] };
  experiments.put({ ...experiment, experiment_id: DRAFT, state: 'draft' } as unknown as ExperimentRecord, 1);
  experiments.put(
    { ...experiment, experiment_id: RUNNING, state: 'running' } as unknown as ExperimentRecord,
    1,
  );
  return new LivingExperiments(experiments, sites, campaigns);
}

describe('what a change of an experiment depends on', () => {
  it.each([
    ['a start of a draft: its site and its campaigns', DRAFT, null, { kept: 3, deleted: null }],
    ['another campaign for a draft: that one', DRAFT, { campaign_ids: ['KEPT'] }, { kept: 3 }],
    ['a stop of a running one: its site', RUNNING, null, {}],
    [
      'a new one: what it names',
      undefined,
      { site_id: 'SITE', campaign_ids: ['deleted', 4] },
      { deleted: null },
    ],
  ])('%s', (_, experimentId, body, campaigns) => {
    expect(livingWith().awaited(experimentId, body)).toEqual({ sites: { site: 7 }, campaigns });
  });

  it('a body that is none is nothing to wait for', () => {
    for (const body of [null, [], 'x', { site_id: 4, campaign_ids: 'kept' }])
      expect(livingWith().awaited(undefined, body)).toEqual({ sites: {}, campaigns: {} });
  });
});
