import type { ExperimentState } from '@truetally/contracts/experiments';
import { failure } from '@truetally/kernel';
import type { ExperimentAction } from './transitions.js';

/** Refusals of experiments' requests, with their messages. */
export const refusals = {
  noExperiment: () => failure('NOT_FOUND', 'There is no such experiment.'),
  noSite: () => failure('NOT_FOUND', 'There is no such site.'),
  notInState: (action: ExperimentAction, state: ExperimentState) =>
    failure('CONFLICT', `The experiment is ${state}.`, {
      state: [`must allow to ${action} it: the experiment is ${state}`],
    }),
  /** A change after the start would pool phases that were assigned by different rules. */
  onlyDraft: (state: ExperimentState) =>
    failure('CONFLICT', 'Only a draft can be changed or deleted: stop the experiment and start a new one.', {
      state: [`must be draft: the experiment is ${state}`],
    }),
  quotaExceeded: (most: number) =>
    failure('CONFLICT', 'The quota of experiments is used up.', {
      experiments: [`must not be more than ${most}`],
    }),
  gatewaysFull: (most: number) =>
    failure('CONFLICT', 'Gateways hold as much of experiments as they may.', {
      workspace_experiment_bytes: [`must not be more than ${most}`],
    }),
  tooManyExclusionChanges: (most: number) =>
    failure('CONFLICT', 'The exclusions of the experiment were changed as often as they may be.', {
      exclusion_changes: [`must not be more than ${most}`],
    }),
  tooManyLive: (most: number) =>
    failure('CONFLICT', 'The site has as many running and paused experiments as it may have.', {
      site_id: [`has ${most} experiments that run or pause already`],
    }),
  campaignsTaken: (places: readonly number[], others: readonly string[]) =>
    failure(
      'CONFLICT',
      'A campaign stands in another experiment that runs or pauses.',
      Object.fromEntries(
        places.map((place, index) => [
          `campaign_ids.${place}`,
          [`stands in the experiment ${others[index] ?? ''}, which runs or pauses`],
        ]),
      ),
    ),
  campaignsGone: (places: readonly number[]) =>
    failure(
      'CONFLICT',
      'A campaign of the experiment is gone.',
      Object.fromEntries(
        places.map((place) => [`campaign_ids.${place}`, ['is no campaign of the site any more']]),
      ),
    ),
} as const;
