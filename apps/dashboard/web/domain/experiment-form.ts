import type { ExperimentResource } from '@truetally/node';
import { type METRICS } from './experiment-words.js';
import { typedNumber } from './typed-number.js';

export const SURFACES = ['overlay', 'recommendation', 'chatbot'] as const;

/** A draft's fields under the paths of the API, each as it is typed. */
export interface ExperimentForm {
  name: string;
  hypothesis: string;
  surface: (typeof SURFACES)[number];
  campaign_ids: readonly string[];
  primary_metric: (typeof METRICS)[number];
  baseline_rate: string;
  minimum_detectable_effect: string;
  attribution_window_days: string;
}

/** Every field that a refusal may name. */
export const EXPERIMENT_FIELDS = [
  'name',
  'hypothesis',
  'surface',
  'campaign_ids',
  'primary_metric',
  'baseline_rate',
  'minimum_detectable_effect',
  'attribution_window_days',
] as const;

const EMPTY: ExperimentForm = {
  name: '',
  hypothesis: '',
  surface: 'overlay',
  campaign_ids: [],
  primary_metric: 'conversion',
  baseline_rate: '',
  minimum_detectable_effect: '',
  attribution_window_days: '7',
};

/** What the editor shows of a draft; of none, a new one's. */
export function formOfExperiment(experiment: ExperimentResource | undefined): ExperimentForm {
  if (experiment === undefined) return EMPTY;
  return {
    name: experiment.name,
    hypothesis: experiment.hypothesis ?? '',
    surface: experiment.surface,
    campaign_ids: experiment.campaign_ids,
    primary_metric: experiment.primary_metric,
    baseline_rate: String(experiment.baseline_rate),
    minimum_detectable_effect: String(experiment.minimum_detectable_effect),
    attribution_window_days: String(experiment.attribution_window_days),
  };
}

/** What is saved. */
export function draftOfForm(form: ExperimentForm) {
  return {
    name: form.name,
    hypothesis: form.hypothesis.trim() === '' ? null : form.hypothesis,
    surface: form.surface,
    campaign_ids: form.campaign_ids,
    primary_metric: form.primary_metric,
    baseline_rate: typedNumber(form.baseline_rate),
    minimum_detectable_effect: typedNumber(form.minimum_detectable_effect),
    attribution_window_days: typedNumber(form.attribution_window_days),
  };
}

export type ExperimentDraft = ReturnType<typeof draftOfForm>;
