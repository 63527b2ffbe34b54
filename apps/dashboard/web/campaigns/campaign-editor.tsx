import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { useState } from 'react';
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
import { ActionButton } from '../elements/action-button.js';
import { Conflict } from '../elements/conflict.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { RestoredDraft } from '../elements/restored-draft.js';
import { Options } from '../elements/options.js';
import { useDraftedForm } from '../layout/use-drafted-form.js';
import { keyOfRead } from '../layout/use-read.js';
import { useSaving } from '../layout/use-saving.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { Audience } from './audience.js';
import own from './campaigns.module.css';
import type { Campaign } from './campaigns-screen.js';
import { ContentFields } from './content-fields.js';
import { Preview } from './preview.js';
import { VisitCheck } from './visit-check.js';

interface EditorProps {
  readonly site: SiteResource;
  readonly type: CampaignType;
  /** Undefined for a new one. */
  readonly campaign: Campaign | undefined;
}

/** A campaign's fields beside what a shop would show of them: what is saved is what is previewed. */
export function CampaignEditor({ site, type, campaign }: EditorProps) {
  const { form, based, setBased, forget, restart, restored } = useDraftedForm<CampaignForm>(
    `campaign:${campaign?.id ?? `${site.id}:${type}`}`,
    formOf(campaign, site.timezone),
    campaign?.version,
  );
  const { register, handleSubmit, watch } = form;
  const values = watch();
  const fieldsIn = (from: CampaignForm): CampaignFields =>
    fieldsOf(type, from, site.timezone, campaign?.schedule);
  const fields = fieldsIn(values);
  const onSaved = (saved: Campaign): void => {
    forget();
    setBased(saved.version);
  };
  const { save, conflict, forgetConflict } = useCampaignSaving({ site, type, campaign, onSaved });
  const submit = (from: CampaignForm, version: number | undefined, theirs?: Campaign): void => {
    if (!save.isPending) save.mutate({ fields: fieldsIn(from), version, ...(theirs && { theirs }) });
  };
  const refused = fieldErrors(save.error, pathsOf(values));
  const takeTheirs = (theirs: Campaign): void => {
    restart(formOf(theirs, site.timezone), theirs.version);
    forgetConflict();
  };
  return (
    <div className={own['beside']}>
      <form onSubmit={(event) => void handleSubmit((from) => submit(from, based))(event)} noValidate>
        <RestoredDraft restored={restored} />
        {conflict === undefined ? (
          <FormProblem error={save.error} refused={refused} />
        ) : (
          <Conflict
            mine={fields}
            theirs={changeable(conflict)}
            onMine={() => submit(values, conflict.version, conflict)}
            onTheirs={() => takeTheirs(conflict)}
          />
        )}
        <Field label="Name" error={refused.byField('name')}>
          <input {...register('name')} autoComplete="off" />
        </Field>
        <Field label="Status" hint="Only an active one is shown" error={refused.byField('status')}>
          <select {...register('status')}>
            <Options of={CAMPAIGN_STATUSES} />
          </select>
        </Field>
        <ContentFields type={type} form={form} errorOf={refused.byField} />
        <Audience form={form} zone={site.timezone} errorOf={refused.byField} />
        <div className={style['actions']}>
          <ActionButton type="submit" isBusy={save.isPending}>
            {campaign === undefined ? 'Add the campaign' : 'Save'}
          </ActionButton>
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

function useCampaignSaving({
  site,
  type,
  campaign,
  onSaved,
}: EditorProps & { readonly onSaved: (saved: Campaign) => void }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const path = campaign === undefined ? '/campaigns' : `/campaigns/${campaign.id}`;
  const to = { path, workspaceId: workspace.id };
  return useSaving<CampaignFields, Campaign>({
    path,
    send: ({ fields, version, theirs = campaign }) => {
      if (theirs === undefined || version === undefined) {
        const body = { site_id: site.id, type, ...fields };
        return api<Campaign>({ ...to, method: 'POST', idempotencyKey, body });
      }
      const body = replacingPatch(changeable(theirs), fields);
      return api<Campaign>({ ...to, method: 'PATCH', version, body });
    },
    onSaved: async (saved) => {
      onSaved(saved);
      cache.setQueryData(keyOfRead(workspace.id, `/campaigns/${saved.id}`), saved);
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, '/campaigns'] });
      if (campaign !== undefined) return;
      await navigate({
        to: '/w/$workspaceId/campaigns/$campaignId',
        params: { workspaceId: workspace.id, campaignId: saved.id },
        search: { site: site.id },
      });
    },
  });
}

function changeable({ name, status, schedule, targeting, content }: Campaign): CampaignFields {
  return { name, status, schedule, targeting, content };
}
