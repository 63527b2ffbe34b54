import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { useEffect, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ApiError } from '../api/api-error.js';
import { fieldErrors } from '../api/field-errors.js';
import {
  CAMPAIGN_STATUSES,
  type CampaignFields,
  type CampaignForm,
  type CampaignType,
  fieldsOf,
  formOf,
  pathsOf,
} from '../domain/campaign-form.js';
import { replacingPatch } from '../domain/replacing-patch.js';
import { Conflict } from '../elements/conflict.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { keyOfRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { keepDraft, readDraft, removeDraft } from '../session/draft-store.js';
import { usePage } from '../session/page-context.js';
import { Audience } from './audience.js';
import own from './campaigns.module.css';
import type { Campaign } from './campaigns-screen.js';
import { ContentFields } from './content-fields.js';
import { Preview } from './preview.js';
import { VisitCheck } from './visit-check.js';

interface Draft {
  readonly form: CampaignForm;
  /** What the draft was based on: a later one of the service is a conflict, and not overwritten. */
  readonly version: number | undefined;
}

interface EditorProps {
  readonly site: SiteResource;
  readonly type: CampaignType;
  /** Undefined for a new one. */
  readonly campaign: Campaign | undefined;
}

/** A campaign's fields beside what a shop would show of them: what is saved is what is previewed. */
export function CampaignEditor({ site, type, campaign }: EditorProps) {
  const { session } = usePage();
  const place = useMemo(
    () => ({ user: session.user, form: `campaign:${campaign?.id ?? `${site.id}:${type}`}` }),
    [session.user, campaign?.id, site.id, type],
  );
  const [draft] = useState(() => readDraft<Draft>(place));
  const [version, setVersion] = useState(draft?.version ?? campaign?.version);
  const form = useForm<CampaignForm>({
    defaultValues: draft?.form ?? formOf(campaign, site.timezone),
  });
  const { register, handleSubmit, watch, reset } = form;
  const values = watch();
  const fields = fieldsOf(type, values, site.timezone);
  const saving = useSaving({ site, type, campaign });
  const { save, conflict, forgetConflict } = saving;
  useEffect(() => {
    const subscription = watch((changed) => keepDraft(place, { form: changed, version }));
    return () => subscription.unsubscribe();
  }, [watch, place, version]);
  const submit = (from: CampaignForm, based: number | undefined): void => {
    if (save.isPending) return;
    save.mutate(
      { fields: fieldsOf(type, from, site.timezone), version: based },
      {
        onSuccess: (saved) => {
          removeDraft(place);
          setVersion(saved.version);
        },
      },
    );
  };
  const refused = fieldErrors(save.error, pathsOf(values));
  const takeTheirs = (theirs: Campaign): void => {
    reset(formOf(theirs, site.timezone));
    removeDraft(place);
    setVersion(theirs.version);
    forgetConflict();
  };
  return (
    <div className={own['beside']}>
      <form onSubmit={(event) => void handleSubmit((from) => submit(from, version))(event)} noValidate>
        {conflict === undefined ? (
          <FormProblem error={save.error} refused={refused} />
        ) : (
          <Conflict
            mine={fields}
            theirs={changeable(conflict)}
            onMine={() => submit(values, conflict.version)}
            onTheirs={() => takeTheirs(conflict)}
          />
        )}
        <Field label="Name" error={refused.byField('name')}>
          <input {...register('name')} autoComplete="off" />
        </Field>
        <Field label="Status" hint="Only an active one is shown" error={refused.byField('status')}>
          <select {...register('status')}>
            {CAMPAIGN_STATUSES.map((status) => (
              <option key={status}>{status}</option>
            ))}
          </select>
        </Field>
        <ContentFields type={type} form={form} errorOf={refused.byField} />
        <Audience form={form} zone={site.timezone} errorOf={refused.byField} />
        <div className={style['actions']}>
          <button type="submit" disabled={save.isPending}>
            {campaign === undefined ? 'Add the campaign' : 'Save'}
          </button>
          <span role="status">{save.isSuccess && 'Saved'}</span>
        </div>
      </form>
      <div>
        <Preview site={site} type={type} name={fields.name} content={fields.content} />
        <VisitCheck fields={fields} />
      </div>
    </div>
  );
}

interface Saved {
  readonly fields: CampaignFields;
  readonly version: number | undefined;
}

function useSaving({ site, type, campaign }: EditorProps) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const [conflict, setConflict] = useState<Campaign>();
  const path = campaign === undefined ? '/campaigns' : `/campaigns/${campaign.id}`;
  const read = (): Promise<Campaign> => api<Campaign>({ path, workspaceId: workspace.id });
  const save = useMutation({
    mutationFn: async ({ fields, version }: Saved): Promise<Campaign> => {
      if (campaign === undefined || version === undefined) {
        const body = { site_id: site.id, type, ...fields };
        return api<Campaign>({
          method: 'POST',
          path,
          workspaceId: workspace.id,
          idempotencyKey: key,
          body,
        });
      }
      const body = replacingPatch(changeable(conflict ?? campaign), fields);
      return api<Campaign>({ method: 'PATCH', path, workspaceId: workspace.id, version, body });
    },
    onMutate: () => setConflict(undefined),
    onSuccess: async (saved) => {
      cache.setQueryData(keyOfRead(workspace.id, `/campaigns/${saved.id}`), saved);
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, '/campaigns'] });
      if (campaign !== undefined) return;
      await navigate({
        to: '/w/$workspaceId/campaigns/$campaignId',
        params: { workspaceId: workspace.id, campaignId: saved.id },
        search: { site: site.id },
      });
    },
    onError: async (error, { version }) => {
      if (!(error instanceof ApiError) || error.status !== 409 || version === undefined) return;
      const theirs = await read();
      if (theirs.version !== version) setConflict(theirs);
    },
  });
  return { save, conflict, forgetConflict: () => (setConflict(undefined), save.reset()) };
}

function changeable({ name, status, schedule, targeting, content }: Campaign): CampaignFields {
  return { name, status, schedule, targeting, content };
}
