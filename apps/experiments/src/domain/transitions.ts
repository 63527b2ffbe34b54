import type { ExperimentState } from '@truetally/contracts/experiments';

/** The states that each action leads from and to (interface page, section 7); any other is a conflict. */
export const TRANSITIONS = {
  start: { from: ['draft'], to: 'running' },
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  stop: { from: ['running', 'paused'], to: 'stopped' },
} as const satisfies Record<string, Transition>;

export type ExperimentAction = keyof typeof TRANSITIONS;

interface Transition {
  readonly from: readonly ExperimentState[];
  readonly to: ExperimentState;
}

/** @returns the state after the action; undefined for a conflict */
export function nextState(action: ExperimentAction, state: ExperimentState): ExperimentState | undefined {
  const { from, to }: Transition = TRANSITIONS[action];
  return from.includes(state) ? to : undefined;
}
