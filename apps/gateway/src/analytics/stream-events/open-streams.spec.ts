import { describe, expect, it } from '@jest/globals';
import { Metrics } from '@truetally/platform';
import type { Caller } from '../../credentials/caller.js';
import { OpenStreams, STREAM_LIMITS, type StreamPlace } from './open-streams.js';

const limit = { subject: 'workspace:w', perHour: 1 };

function user(subject: string): Caller {
  const workspaceId = `workspace of ${subject}`;
  return {
    kind: 'member',
    subject,
    email: null,
    tokenExpiresAtMs: Infinity,
    workspaceId,
    role: 'owner',
    limit,
  };
}

function placeIn(streams: OpenStreams, caller: Caller): StreamPlace {
  const place = streams.take(caller);
  if (typeof place === 'string') throw new Error(place);
  return place;
}

describe('the streams of a gateway', () => {
  it('a user has at most 10 places, whatever the workspace, and gets another for each that is given back', () => {
    const streams = new OpenStreams(() => undefined, new Metrics('gateway'));
    const places = Array.from({ length: STREAM_LIMITS.ofCaller }, () => placeIn(streams, user('one')));
    expect(streams.take({ ...user('one'), workspaceId: 'another' })).toBe('streams-exceeded');
    expect(placeIn(streams, user('other')).name).toBe('user:other');
    for (const place of places) {
      streams.giveBack(place);
      placeIn(streams, user('one'));
      expect(streams.take(user('one'))).toBe('streams-exceeded');
    }
  });

  it('a gateway has at most 1,000 places', () => {
    const streams = new OpenStreams(() => undefined, new Metrics('gateway'));
    const places = Array.from({ length: STREAM_LIMITS.inAll }, (_, number) =>
      placeIn(streams, user(`user ${number % 200}`)),
    );
    expect(streams.take(user('late'))).toBe('no-stream-left');
    for (const place of places) streams.giveBack(place);
    expect(placeIn(streams, user('late')).name).toBe('user:late');
  });

  it('a gateway that drains has none', () => {
    const streams = new OpenStreams(() => undefined, new Metrics('gateway'));
    streams.drain();
    expect(streams.take(user('late'))).toBe('unavailable');
  });
});
