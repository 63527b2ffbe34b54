import { describe, expect, it } from '@jest/globals';
import { draftOfForm, formOfExperiment } from './experiment-form.js';

describe('an experiment’s draft in a form', () => {
  it('numbers are sent as numbers, and what is none as it is typed', () => {
    const form = {
      ...formOfExperiment(undefined),
      baseline_rate: '0,03',
      minimum_detectable_effect: 'large',
    };
    expect(draftOfForm(form)).toMatchObject({
      baseline_rate: 0.03,
      minimum_detectable_effect: 'large',
      attribution_window_days: 7,
      campaign_ids: [],
    });
  });

  it('a hypothesis of blanks is none', () => {
    expect(draftOfForm({ ...formOfExperiment(undefined), hypothesis: '  ' }).hypothesis).toBeNull();
  });
});
