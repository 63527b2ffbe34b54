import { useQueryClient } from '@tanstack/react-query';
import type { ExperimentResource, SiteResource } from '@truetally/node';
import { useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import {
  draftOfForm,
  EXPERIMENT_FIELDS,
  type ExperimentDraft,
  type ExperimentForm,
  formOfExperiment,
  SURFACES,
} from '../domain/experiment-form.js';
import { METRICS, titleOf } from '../domain/experiment-words.js';
import { typedNumber } from '../domain/typed-number.js';
import { ActionButton } from '../elements/action-button.js';
import { Conflict } from '../elements/conflict.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { RestoredDraft } from '../elements/restored-draft.js';
import { Options } from '../elements/options.js';
import { useDraftedForm } from '../layout/use-drafted-form.js';
import { useSaving } from '../layout/use-saving.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { CampaignChoice } from './campaign-choice.js';
import { Planner } from './planner.js';

interface EditorProps {
  readonly site: SiteResource;
  /** Undefined for a new one. */
  readonly experiment: ExperimentResource | undefined;
  readonly onSaved?: (saved: ExperimentResource) => Promise<void>;
}

/** A draft's fields, with the sessions and days that it takes; a started one is never changed. */
export function ExperimentEditor({ site, experiment, onSaved }: EditorProps) {
  const { form, based, setBased, forget, restart, restored } = useDraftedForm<ExperimentForm>(
    experiment === undefined ? `new-experiment:${site.id}` : `experiment:${experiment.id}`,
    formOfExperiment(experiment),
    experiment?.version,
  );
  const { register, handleSubmit, watch, setValue } = form;
  const shown = watch();
  const { save, conflict, forgetConflict } = useDraftSaving({
    site,
    experiment,
    onSaved: async (saved) => {
      forget();
      setBased(saved.version);
      await onSaved?.(saved);
    },
  });
  const submit = (from: ExperimentForm, version: number | undefined): void => {
    if (!save.isPending) save.mutate({ fields: draftOfForm(from), version });
  };
  const takeTheirs = (theirs: ExperimentResource): void => {
    restart(formOfExperiment(theirs), theirs.version);
    forgetConflict();
  };
  const refused = fieldErrors(save.error, EXPERIMENT_FIELDS);
  const { byField } = refused;
  return (
    <form onSubmit={(event) => void handleSubmit((from) => submit(from, based))(event)} noValidate>
      <RestoredDraft restored={restored} />
      {conflict === undefined ? (
        <FormProblem error={save.error} refused={refused} />
      ) : (
        <Conflict
          mine={draftOfForm(shown)}
          theirs={draftOfForm(formOfExperiment(conflict))}
          onMine={() => submit(shown, conflict.version)}
          onTheirs={() => takeTheirs(conflict)}
        />
      )}
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
          <Options of={SURFACES} />
        </select>
      </Field>
      <CampaignChoice
        key={shown.surface}
        site={site}
        surface={shown.surface}
        chosen={shown.campaign_ids}
        error={byField('campaign_ids')}
        onChoose={(ids) => setValue('campaign_ids', ids)}
      />
      <Field label="Primary metric" error={byField('primary_metric')}>
        <select {...register('primary_metric')}>
          <Options of={METRICS} words={(metric) => titleOf(metric, site.currency)} />
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
        baselineRate={typedNumber(shown.baseline_rate)}
        effect={typedNumber(shown.minimum_detectable_effect)}
      />
      <Field
        label="Days in which orders count"
        hint="After the assignment, 1 to 90"
        error={byField('attribution_window_days')}
      >
        <input {...register('attribution_window_days')} inputMode="numeric" autoComplete="off" />
      </Field>
      <div className={style['actions']}>
        <ActionButton type="submit" isBusy={save.isPending}>
          Save the draft
        </ActionButton>
        <span role="status">{save.isSuccess && 'Saved'}</span>
      </div>
    </form>
  );
}

function useDraftSaving({
  site,
  experiment,
  onSaved,
}: EditorProps & { readonly onSaved: (saved: ExperimentResource) => Promise<void> }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const path = experiment === undefined ? '/partner-experiments' : `/partner-experiments/${experiment.id}`;
  const to = { path, workspaceId: workspace.id };
  return useSaving<ExperimentDraft, ExperimentResource>({
    path,
    send: ({ fields, version }) =>
      version === undefined
        ? api({ ...to, method: 'POST', idempotencyKey, body: { site_id: site.id, ...fields } })
        : api({ ...to, method: 'PATCH', version, body: fields }),
    onSaved: async (saved) => {
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, '/partner-experiments'] });
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, path] });
      await onSaved(saved);
    },
  });
}
