import { describe, expect, it } from '@jest/globals';
import type { AssignSession } from '@truetally/contracts/experiments';
import { decideAssignments, type Known, type RunningExperiment } from './decide-assignments.js';
import { assignmentIdOf, sessionKeyOf, touchKeyOf } from './names.js';

const NOW = '2026-01-31T09:30:00.000Z';
const PLACE = { partition: 1, offset: '7' };
const EXPERIMENT: RunningExperiment = {
  id: 'e1',
  siteId: 'site',
  campaignIds: ['c1', 'c2'],
  eligibility: { providers: ['awin'], partner_ids: [] },
  salt: 'ab',
  traffic: 1,
  control: 1,
};
const AWIN = { provider: 'awin', partnerId: null };

function decide(
  requests: readonly Partial<AssignSession>[],
  experiments: readonly Partial<RunningExperiment>[] = [{}],
  touches: Known['touches'] = new Map([[sessionKeyOf('site', 's1'), [AWIN]]]),
) {
  const running = experiments.map((given) => ({ ...EXPERIMENT, ...given }));
  const asked = requests.map((given, index) => ({
    request: {
      site_id: 'site',
      session_id: 's1',
      campaign_id: null,
      experiment_ids: null,
      touch_ids: [],
      device: 'mobile' as const,
      ...given,
    },
    place: { ...PLACE, offset: String(7 + index) },
  }));
  return decideAssignments(asked, { running, touches }, NOW);
}

const idsOf = (added: ReturnType<typeof decide>) => added.map(({ experiment }) => experiment.id);

describe('who is assigned', () => {
  it('a session with an eligible touch is assigned, as its request and the experiment say', () => {
    expect(decide([{}])).toEqual([
      {
        assignmentId: assignmentIdOf('e1', 's1'),
        variant: 'control',
        assignedAt: NOW,
        place: PLACE,
        experiment: EXPERIMENT,
        sessionId: 's1',
        provider: 'awin',
        device: 'mobile',
      },
    ]);
    expect(decide([{}], [{ control: 0 }])[0]?.variant).toBe('treatment');
  });

  it('sessions without a touch, of another site or outside of the traffic are not assigned', () => {
    expect(decide([{}], [{}], new Map())).toEqual([]);
    expect(decide([{}], [{ eligibility: { providers: ['cj'], partner_ids: [] } }])).toEqual([]);
    expect(decide([{}], [{ siteId: 'other' }])).toEqual([]);
    expect(decide([{ session_id: 's2' }])).toEqual([]);
    expect(decide([{}], [{ traffic: 0 }])).toEqual([]);
  });

  it('includes sessions with an eligible touch of their own site', () => {
    const touches = new Map([[touchKeyOf('site', 't1'), [AWIN]]]);
    expect(decide([{ touch_ids: ['t1'] }], [{}], touches)).toHaveLength(1);
    expect(decide([{ touch_ids: ['t2'] }], [{}], touches)).toEqual([]);
    expect(decide([{ touch_ids: ['t1'] }], [{}], new Map([[touchKeyOf('other', 't1'), [AWIN]]]))).toEqual([]);
  });

  it('a session is assigned once by the first of several requests', () => {
    const added = decide([{}, { device: 'desktop' }]);
    expect(added.map(({ device, place }) => [device, place.offset])).toEqual([['mobile', '7']]);
  });

  it('a session is assigned by every experiment that the request means', () => {
    const experiments = [{ id: 'e1' }, { id: 'e2', campaignIds: ['c3'] }, { id: 'e3' }];
    expect(idsOf(decide([{}], experiments))).toEqual(['e1', 'e2', 'e3']);
    expect(idsOf(decide([{ campaign_id: 'c3' }], experiments))).toEqual(['e2']);
    expect(idsOf(decide([{ campaign_id: 'c1', experiment_ids: ['e2', 'e3'] }], experiments))).toEqual(['e3']);
    expect(idsOf(decide([{ experiment_ids: [] }], experiments))).toEqual([]);
  });
});
