import { describe, expect, it } from '@jest/globals';
import type { AssignSession } from '@truetally/contracts/experiments';
import { decideAssignments, type Known, type RunningExperiment } from './decide-assignments.js';
import { assignmentIdOf, sessionKeyOf, touchKeyOf } from './names.js';

const NOW = '2026-01-31T09:30:00.000Z';
const EXPERIMENT: RunningExperiment = {
  id: 'e1',
  siteId: 'site',
  campaignIds: ['c1', 'c2'],
  eligibility: { providers: ['awin'], partner_ids: [] },
  salt: 'ab',
  traffic: 1,
  control: 1,
};
const AWIN = {
  key: touchKeyOf('site', 't1'),
  owner: sessionKeyOf('site', 's1'),
  provider: 'awin',
  partnerId: null,
};
/** It names no session. */
const FREE = { ...AWIN, owner: null };

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
    correlationId: `request ${index}`,
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
        correlationId: 'request 0',
        experiment: EXPERIMENT,
        sessionId: 's1',
        provider: 'awin',
        device: 'mobile',
        network: null,
        claim: null,
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

  it('a touch makes the session eligible that it names, and no other that names the touch', () => {
    const touches = new Map([[AWIN.key, [AWIN]]]);
    expect(decide([{ touch_ids: ['t1'] }], [{}], touches)).toHaveLength(1);
    expect(decide([{ session_id: 's2', touch_ids: ['t1'] }], [{}], touches)).toEqual([]);
  });

  it('a touch that names no session becomes the first session’s, for all experiments, and no other’s in the same group', () => {
    const touches = new Map([[FREE.key, [FREE]]]);
    const sessions = Array.from({ length: 20 }, (_, n) => ({ session_id: `s${n}`, touch_ids: ['t1'] }));
    const added = decide(sessions, [{ id: 'e1' }, { id: 'e2', campaignIds: ['c3'] }], touches);
    const claim = { touchKey: FREE.key, sessionKey: sessionKeyOf('site', 's0') };
    expect(added.map(({ sessionId, claim: made }) => [sessionId, made])).toEqual([
      ['s0', claim],
      ['s0', claim],
    ]);
  });

  it('a touch becomes no session’s that takes no part', () => {
    const touches = new Map([[FREE.key, [FREE]]]);
    const other = { eligibility: { providers: ['cj'], partner_ids: [] } };
    expect(decide([{ touch_ids: ['t1'] }], [other], touches)).toEqual([]);
    const known = new Map([[FREE.key, [{ ...FREE, owner: sessionKeyOf('site', 's2') }]]]);
    expect(decide([{ touch_ids: ['t1'] }], [{}], known)).toEqual([]);
    expect(decide([{ session_id: 's2', touch_ids: ['t1'] }], [{}], known)[0]?.claim).toBeNull();
  });

  it('a session is assigned once by the first of several requests', () => {
    const added = decide([{}, { device: 'desktop' }]);
    expect(added.map(({ device, correlationId }) => [device, correlationId])).toEqual([
      ['mobile', 'request 0'],
    ]);
  });

  it('a session is assigned by every experiment that the request means', () => {
    const experiments = [{ id: 'e1' }, { id: 'e2', campaignIds: ['c3'] }, { id: 'e3' }];
    expect(idsOf(decide([{}], experiments))).toEqual(['e1', 'e2', 'e3']);
    expect(idsOf(decide([{ campaign_id: 'c3' }], experiments))).toEqual(['e2']);
    expect(idsOf(decide([{ campaign_id: 'c1', experiment_ids: ['e2', 'e3'] }], experiments))).toEqual(['e3']);
    expect(idsOf(decide([{ experiment_ids: [] }], experiments))).toEqual([]);
  });
});
