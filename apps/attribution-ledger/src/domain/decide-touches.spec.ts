import { describe, expect, it } from '@jest/globals';
import { aTouch } from '../testing/touches.js';
import { decideTouches, type KnownTouches, touchKey, type TouchRequest } from './decide-touches.js';
import { touchRowIdOf } from './names.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const NOW = '2026-02-01 00:00:00+00';
const LATER = '2026-02-02 00:00:00+00';
const NOTHING: KnownTouches = { kept: new Map(), erased: new Set() };
const TOUCH = aTouch({ touch_id: 'touch' });

function requestOf(touches: readonly ReturnType<typeof aTouch>[], correlationId = 'first'): TouchRequest {
  return { request: { site_id: SITE, request_id: 'request', touches }, correlationId };
}

/** The known touches after this request. */
function after(request: TouchRequest): KnownTouches {
  const { added } = decideTouches([request], NOTHING, NOW);
  return { kept: new Map(added.map((one) => [touchKey(SITE, one.touch.touch_id), one])), erased: new Set() };
}

describe('touches of a group', () => {
  it('touches are added once, also when two requests of the group bring the same one', () => {
    const second = aTouch({ touch_id: 'second' });
    const requests = [requestOf([TOUCH]), requestOf([TOUCH, second], 'other')];
    const { outcomes, added } = decideTouches(requests, NOTHING, NOW);
    expect(added.map(({ id }) => id)).toEqual([touchRowIdOf(SITE, 'touch'), touchRowIdOf(SITE, 'second')]);
    const isNew = outcomes.map((one) =>
      one.kind === 'accepted' ? one.touches.map((each) => each.isNew) : [],
    );
    expect(isNew).toEqual([[true], [false, true]]);
  });

  it('touches are refused whole when an earlier request brought one of them with other content', () => {
    const changed = aTouch({ touch_id: 'touch', partner_id: 'other' });
    const requests = [requestOf([TOUCH]), requestOf([aTouch(), changed], 'other')];
    const { outcomes, added } = decideTouches(requests, NOTHING, NOW);
    expect(added).toHaveLength(1);
    expect(outcomes[1]).toMatchObject({
      kind: 'refused',
      failure: { code: 'CONFLICT', details: { 'touches.1.touch_id': ['exists with other content'] } },
    });
  });

  it.each([
    ['new for a copy of the message that brought them', 'first', true],
    ['known for another message', 'other', false],
  ])('touches that are already stored are judged %s', (_name, correlationId, isNew) => {
    const known = after(requestOf([TOUCH]));
    const { outcomes, added } = decideTouches([requestOf([TOUCH], correlationId)], known, LATER);
    expect(added).toEqual([]);
    expect(outcomes).toMatchObject([{ kind: 'accepted', touches: [{ isNew, kept: { recordedAt: NOW } }] }]);
  });

  it('touches of a deleted site are refused', () => {
    const { outcomes, added } = decideTouches(
      [requestOf([TOUCH])],
      { ...NOTHING, erased: new Set([SITE]) },
      NOW,
    );
    expect(outcomes).toMatchObject([{ kind: 'refused', failure: { code: 'UNAUTHORIZED' } }]);
    expect(added).toEqual([]);
  });
});
