import { describe, expect, it } from '@jest/globals';
import { ACTIONS, METRICS, reasonOf, STATES, titleOf } from './experiment-words.js';

describe('the words of experiments', () => {
  it('each state has the actions that the API allows in it', () => {
    expect(STATES.map((state) => ACTIONS[state])).toEqual([
      ['start'],
      ['pause', 'stop'],
      ['resume', 'stop'],
      [],
    ]);
  });

  it('each metric says its unit', () => {
    expect(METRICS.map((metric) => titleOf(metric, 'EUR'))).toEqual([
      'Conversion (share of sessions)',
      'Revenue per session (EUR)',
      'Gross profit per session (EUR)',
      'Partner contribution per session (EUR)',
    ]);
  });

  it('a missing value has its reason, also one that is new here', () => {
    expect(reasonOf('few_sessions')).toBe('too few sessions yet');
    expect(reasonOf('some_new_reason')).toBe('some new reason');
    expect(reasonOf(undefined)).toBe('not known');
  });
});
