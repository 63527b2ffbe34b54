import { describe, expect, it } from '@jest/globals';
import { EXPERIMENT_STATES } from '@truetally/contracts/experiments';
import { type ExperimentAction, nextState, TRANSITIONS } from './transitions.js';

const ALLOWED: Readonly<Record<string, string>> = {
  'start draft': 'running',
  'pause running': 'paused',
  'resume paused': 'running',
  'stop running': 'stopped',
  'stop paused': 'stopped',
};

const ACTIONS = Object.keys(TRANSITIONS) as ExperimentAction[];
const PAIRS = ACTIONS.flatMap((action) => EXPERIMENT_STATES.map((state) => ({ action, state })));

describe('start draft → running; pause running → paused; resume paused → running; stop running or paused → stopped', () => {
  it.each(PAIRS)('$action of one that is $state', ({ action, state }) => {
    expect(nextState(action, state)).toBe(ALLOWED[`${action} ${state}`]);
  });
});
