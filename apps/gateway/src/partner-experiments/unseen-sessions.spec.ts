import { describe, expect, it } from '@jest/globals';
import { unseenSessions } from './unseen-sessions.js';

describe('assigned sessions that sent no event', () => {
  it('a sample of which more than half sent nothing is suspicious', () => {
    expect(unseenSessions(200, 99)).toEqual({ state: 'suspicious', sampled: 200, count: 101, share: 0.505 });
    expect(unseenSessions(200, 100)).toMatchObject({ state: 'ok', share: 0.5 });
  });

  it('a small sample is insufficient, and tells what it found', () => {
    expect(unseenSessions(99, 0)).toEqual({
      state: 'insufficient',
      sampled: 99,
      count: 99,
      share: 1,
      reason: 'few_sessions',
    });
    expect(unseenSessions(0, 0)).toMatchObject({ state: 'insufficient', share: null });
  });

  it('a sample of which nobody could say anything is unknown', () => {
    expect(unseenSessions(300, undefined)).toEqual({
      state: 'unknown',
      sampled: 300,
      count: null,
      share: null,
      reason: 'no_answer',
    });
  });
});
