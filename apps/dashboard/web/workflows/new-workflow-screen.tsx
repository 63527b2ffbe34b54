import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { NewWorkflowResource, SiteResource, WorkflowBody } from '@truetally/node';
import { useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { type TriggerType, valueOf } from '../domain/trigger-types.js';
import { ActionButton } from '../elements/action-button.js';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import style from '../elements/elements.module.css';
import { Notice } from '../elements/problem.js';
import { SecretOnce } from '../elements/secret-once.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useDraftedForm } from '../layout/use-drafted-form.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { type Condition, Conditions } from './conditions.js';
import { TriggerTypes } from './trigger-types.js';
import { SECRET_KEPT } from './workflow-screen.js';

export function NewWorkflowScreen() {
  return (
    <SiteScreen title="Add a workflow" roles={['owner', 'admin']}>
      {(site) => <NewWorkflow key={site.id} site={site} />}
    </SiteScreen>
  );
}

interface WorkflowForm {
  readonly name: string;
  readonly url: string;
  readonly types: readonly TriggerType[];
  readonly match: 'all' | 'any';
  readonly conditions: readonly Condition[];
}

/** The form's fields by the paths of the API; each condition is one more. */
const FIELDS = ['name', 'action.url', 'trigger.event_types'];
const EMPTY: WorkflowForm = {
  name: '',
  url: '',
  types: ['conversion.purchase'],
  match: 'all',
  conditions: [],
};

function NewWorkflow({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string | undefined }>();
  const { form, forget } = useDraftedForm<WorkflowForm>(`new-workflow:${site.id}`, EMPTY);
  const { register, handleSubmit, watch, setValue } = form;
  const { types, match, conditions } = watch();
  const create = useMutation({
    mutationFn: (form: WorkflowForm) =>
      api<NewWorkflowResource>({
        method: 'POST',
        path: '/workflows',
        workspaceId: workspace.id,
        idempotencyKey: key,
        body: bodyOf(site, form),
      }),
    onSuccess: async ({ id, action }) => {
      forget();
      setMade({ id, secret: action.secret });
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, '/workflows'] });
    },
    // The answer holds the secret: nothing of it stays in the page's memory.
    gcTime: 0,
  });
  const places = conditions.flatMap((_, index) =>
    ['field', 'value'].map((part) => `trigger.conditions.${index}.${part}`),
  );
  const refused = fieldErrors(create.error, [...FIELDS, ...places]);
  const { byField } = refused;
  const leave = (id: string): void => {
    setMade(undefined);
    create.reset();
    void navigate({
      to: '/w/$workspaceId/workflows/$workflowId',
      params: { workspaceId: workspace.id, workflowId: id },
      search: { site: site.id },
    });
  };
  return (
    <form onSubmit={(event) => void handleSubmit((form) => create.mutate(form))(event)} noValidate>
      <FormProblem error={create.error} refused={refused} />
      <Field label="Name" error={byField('name')}>
        <input {...register('name')} autoComplete="off" />
      </Field>
      <Field
        label="Address"
        hint="https, on a public host; each request is signed by Standard Webhooks"
        error={byField('action.url')}
      >
        <input {...register('url')} type="url" autoComplete="off" />
      </Field>
      <TriggerTypes
        chosen={types}
        error={byField('trigger.event_types')}
        onChoose={(chosen) => setValue('types', chosen)}
      />
      <Conditions
        match={match}
        conditions={conditions}
        errorOf={(part) => byField(`trigger.conditions.${part}`)}
        onChange={(changed) => {
          setValue('match', changed.match);
          setValue('conditions', changed.conditions);
        }}
      />
      <Notice>
        <p>Events of browsers trigger nothing: anybody could send them.</p>
      </Notice>
      <div className={style['actions']}>
        <ActionButton type="submit" isBusy={create.isPending}>
          Add the workflow
        </ActionButton>
      </div>
      {made !== undefined && (
        <SecretOnce
          title="The workflow’s secret"
          secret={made.secret}
          kept={SECRET_KEPT}
          lost="The workflow is there: make a new secret on its page, which comes next."
          onClose={() => leave(made.id)}
        />
      )}
    </form>
  );
}

function bodyOf(site: SiteResource, { name, url, types, match, conditions }: WorkflowForm): WorkflowBody {
  return {
    site_id: site.id,
    name,
    trigger: {
      event_types: [...types],
      match,
      conditions: conditions.map(({ field, operator, value }) => ({
        field,
        operator,
        value: valueOf(operator, value),
      })),
    },
    action: { type: 'webhook', url },
  };
}
