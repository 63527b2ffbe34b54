import { useQueryClient } from '@tanstack/react-query';
import type { SiteResource } from '@truetally/node';
import type { UseFormRegister } from 'react-hook-form';
import { fieldErrors } from '../api/field-errors.js';
import {
  formOfSite,
  SITE_FIELDS,
  type SiteForm,
  type SiteSettings,
  settingsOf,
  settingsOfForm,
} from '../domain/site-form.js';
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
import { SITE_SETTINGS } from './site-settings.js';

const LABELS = Object.fromEntries(SITE_SETTINGS.map(({ path, label }) => [path, label]));

/** Changes a site's settings; what somebody else has changed meanwhile is shown beside it, and not overwritten. */
export function SiteSettingsForm({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const { form, based, setBased, forget, restart, restored } = useDraftedForm<SiteForm>(
    `site:${site.id}`,
    formOfSite(site),
    site.version,
  );
  const { register, handleSubmit, getValues } = form;
  const path = `/sites/${site.id}`;
  const { save, conflict, forgetConflict } = useSaving<SiteSettings, SiteResource>({
    path,
    send: ({ fields: body, version = site.version }) =>
      api<SiteResource>({ method: 'PATCH', path, workspaceId: workspace.id, version, body }),
    onSaved: (saved) => {
      forget();
      setBased(saved.version);
      return cache.invalidateQueries({ queryKey: ['w', workspace.id, 'sites'] });
    },
  });
  const submit = (from: SiteForm, version: number | undefined): void => {
    if (!save.isPending) save.mutate({ fields: settingsOfForm(from), version });
  };
  const takeTheirs = (theirs: SiteResource): void => {
    restart(formOfSite(theirs), theirs.version);
    forgetConflict();
  };
  const refused = fieldErrors(save.error, SITE_FIELDS);
  return (
    <form onSubmit={(event) => void handleSubmit((from) => submit(from, based))(event)} noValidate>
      <RestoredDraft restored={restored} />
      {conflict === undefined ? (
        <FormProblem error={save.error} refused={refused} />
      ) : (
        <Conflict
          mine={settingsOfForm(getValues())}
          theirs={settingsOf(conflict)}
          labels={LABELS}
          onMine={() => submit(getValues(), conflict.version)}
          onTheirs={() => takeTheirs(conflict)}
        />
      )}
      {SITE_SETTINGS.map(({ path: name, label, meaning, control, choices = {} }) => (
        <Field key={name} label={label} hint={meaning} error={refused.byField(name)}>
          {controlOf(register, name, control, choices)}
        </Field>
      ))}
      <div className={style['actions']}>
        <ActionButton type="submit" isBusy={save.isPending}>
          Save
        </ActionButton>
        <span role="status">{save.isSuccess && 'Saved'}</span>
      </div>
    </form>
  );
}

function controlOf(
  register: UseFormRegister<SiteForm>,
  name: (typeof SITE_FIELDS)[number],
  control: (typeof SITE_SETTINGS)[number]['control'],
  choices: Readonly<Record<string, string>>,
) {
  if (control === 'lines') return <textarea {...register(name)} rows={3} />;
  if (control !== 'choice')
    return (
      <input
        {...register(name)}
        autoComplete="off"
        inputMode={control === 'number' ? 'numeric' : undefined}
      />
    );
  return (
    <select {...register(name)}>
      <Options of={choices} />
    </select>
  );
}
