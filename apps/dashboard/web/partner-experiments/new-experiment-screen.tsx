import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ExperimentResource, SiteResource } from '@truetally/node';
import { useEffect, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { fieldErrors } from '../api/field-errors.js';
import { type Metric, METRICS, titleOf } from '../domain/experiment-words.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { keepDraft, readDraft, removeDraft } from '../session/draft-store.js';
import { usePage } from '../session/page-context.js';
import { CampaignChoice } from './campaign-choice.js';
import { Planner } from './planner.js';

export function NewExperimentScreen() {
  return (
    <SiteScreen title="Draft an experiment" roles={['owner', 'admin']}>
      {(site) => <NewExperiment key={site.id} site={site} />}
    </SiteScreen>
  );
}

const SURFACES = ['overlay', 'recommendation', 'chatbot'] as const;
type Surface = (typeof SURFACES)[number];

/** Numbers as they are typed. */
interface ExperimentForm {
  readonly name: string;
  readonly hypothesis: string;
  readonly surface: Surface;
  readonly campaign_ids: readonly string[];
  readonly primary_metric: Metric;
  readonly baseline_rate: string;
  readonly minimum_detectable_effect: string;
  readonly attribution_window_days: string;
}

const TEXTS = [
  'name',
  'hypothesis',
  'baseline_rate',
  'minimum_detectable_effect',
  'attribution_window_days',
] as const;
const FIELDS = [...TEXTS, 'surface', 'campaign_ids', 'primary_metric'] as const;
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

function NewExperiment({ site }: { readonly site: SiteResource }) {
  const { api, session } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const place = useMemo(
    () => ({ user: session.user, form: `new-experiment:${site.id}` }),
    [session.user, site.id],
  );
  const { register, handleSubmit, watch, setValue } = useForm<ExperimentForm>({
    defaultValues: { ...EMPTY, ...readDraft<ExperimentForm>(place) },
  });
  const shown = watch();
  const create = useMutation({
    mutationFn: (form: ExperimentForm) =>
      api<ExperimentResource>({
        method: 'POST',
        path: '/partner-experiments',
        workspaceId: workspace.id,
        idempotencyKey: key,
        body: bodyOf(site, form),
      }),
    onSuccess: async ({ id }) => {
      removeDraft(place);
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, '/partner-experiments'] });
      await navigate({
        to: '/w/$workspaceId/partner-experiments/$experimentId',
        params: { workspaceId: workspace.id, experimentId: id },
        search: { site: site.id },
      });
    },
  });
  useEffect(() => {
    const subscription = watch((values) => keepDraft(place, values));
    return () => subscription.unsubscribe();
  }, [watch, place]);
  const refused = fieldErrors(create.error, FIELDS);
  const { byField } = refused;
  return (
    <form onSubmit={(event) => void handleSubmit((form) => create.mutate(form))(event)} noValidate>
      <FormProblem error={create.error} refused={refused} />
      <Field label="Name" error={byField('name')}>
        <input {...register('name')} autoComplete="off" />
      </Field>
      <Field label="Hypothesis" hint="What you expect, and why; may be empty" error={byField('hypothesis')}>
        <input {...register('hypothesis')} autoComplete="off" />
      </Field>
      <Field label="Surface" error={byField('surface')}>
        <select
          value={shown.surface}
          onChange={({ target }) => {
            setValue('surface', SURFACES.find((one) => one === target.value) ?? 'overlay');
            setValue('campaign_ids', []);
          }}
        >
          {SURFACES.map((surface) => (
            <option key={surface} value={surface}>
              {surface}
            </option>
          ))}
        </select>
      </Field>
      <CampaignChoice
        site={site}
        surface={shown.surface}
        chosen={shown.campaign_ids}
        error={byField('campaign_ids')}
        onChoose={(ids) => setValue('campaign_ids', ids)}
      />
      <Field label="Primary metric" error={byField('primary_metric')}>
        <select {...register('primary_metric')}>
          {METRICS.map((metric) => (
            <option key={metric} value={metric}>
              {titleOf(metric, site.currency)}
            </option>
          ))}
        </select>
      </Field>
      <Field
        label="Conversion today"
        hint="A share: 0.03 is three of a hundred sessions"
        error={byField('baseline_rate')}
      >
        <input {...register('baseline_rate')} inputMode="decimal" autoComplete="off" />
      </Field>
      <Field
        label="Smallest effect worth finding"
        hint="Relative: 0.1 is a tenth more"
        error={byField('minimum_detectable_effect')}
      >
        <input {...register('minimum_detectable_effect')} inputMode="decimal" autoComplete="off" />
      </Field>
      <Planner
        site={site}
        baselineRate={numberOf(shown.baseline_rate)}
        effect={numberOf(shown.minimum_detectable_effect)}
      />
      <Field
        label="Days in which orders count"
        hint="After the assignment, 1 to 90"
        error={byField('attribution_window_days')}
      >
        <input {...register('attribution_window_days')} inputMode="numeric" autoComplete="off" />
      </Field>
      <div className={style['actions']}>
        <button type="submit" disabled={create.isPending}>
          Save the draft
        </button>
      </div>
    </form>
  );
}

/** What is no number goes as it is typed: the service says at the field what it expects. */
function numberOf(text: string): number | string {
  const value = Number(text.replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) ? text : value;
}

function bodyOf(site: SiteResource, form: ExperimentForm): object {
  return {
    site_id: site.id,
    name: form.name,
    hypothesis: form.hypothesis.trim() === '' ? null : form.hypothesis,
    surface: form.surface,
    campaign_ids: form.campaign_ids,
    primary_metric: form.primary_metric,
    baseline_rate: numberOf(form.baseline_rate),
    minimum_detectable_effect: numberOf(form.minimum_detectable_effect),
    attribution_window_days: numberOf(form.attribution_window_days),
  };
}
