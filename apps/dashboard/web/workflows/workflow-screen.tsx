import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { NewWorkflowResource, SiteResource, WorkflowResource } from '@truetally/node';
import { useState } from 'react';
import { wordsOf } from '../domain/event-types.js';
import { OPERATOR_WORDS } from '../domain/trigger-types.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Problem } from '../elements/problem.js';
import { SecretOnce } from '../elements/secret-once.js';
import { useSecret } from '../elements/use-secret.js';
import { DeleteNamed } from '../layout/delete-named.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { keyOfRead, useRead } from '../layout/use-read.js';
import { useSiteOf, useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { Deliveries } from './deliveries.js';
import { WorkflowState } from './workflow-state.js';

export const SECRET_KEPT = 'it is stored encrypted, and is not shown again';

export function WorkflowScreen() {
  return <SiteScreen title="Workflow">{(site) => <One site={site} />}</SiteScreen>;
}

function One({ site }: { readonly site: SiteResource }) {
  const { workflowId } = useParams({ from: '/w/$workspaceId/workflows/$workflowId' });
  const workflow = useRead<WorkflowResource>(`/workflows/${encodeURIComponent(workflowId)}`);
  const siteOf = useSiteOf(site);
  return (
    <Known query={workflow}>
      {(data) => (
        <>
          <Facts workflow={data} zone={siteOf(data).timezone} />
          <Controls key={data.id} workflow={data} />
          <Deliveries workflow={data} zone={siteOf(data).timezone} />
        </>
      )}
    </Known>
  );
}

function Facts({ workflow, zone }: { readonly workflow: WorkflowResource; readonly zone: string }) {
  const { trigger, action, last_delivered_at: deliveredAt } = workflow;
  return (
    <>
      <h2>{workflow.name}</h2>
      <dl className={style['facts']}>
        <dt>State</dt>
        <dd>
          <WorkflowState workflow={workflow} />
        </dd>
        <dt>Waits for</dt>
        <dd>{trigger.event_types.map(wordsOf).join(', ')}</dd>
        <dt>Conditions</dt>
        <dd>
          {trigger.conditions.length === 0
            ? 'none'
            : `${trigger.match} of: ${trigger.conditions
                .map(({ field, operator, value }) => `${field} ${OPERATOR_WORDS[operator]} ${String(value)}`)
                .join('; ')}`}
        </dd>
        <dt>Sends to</dt>
        <dd>
          <code>{action.url}</code>
        </dd>
        <dt>Last delivered</dt>
        <dd>{deliveredAt === null ? 'never' : <Instant at={deliveredAt} zone={zone} />}</dd>
      </dl>
    </>
  );
}

function Controls({ workflow }: { readonly workflow: WorkflowResource }) {
  const { api } = usePage();
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [secret, setSecret] = useSecret<string>();
  const [isDeleting, setDeleting] = useState(false);
  const path = `/workflows/${workflow.id}`;
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: ['w', workspace.id] });
  const change = useMutation({
    mutationFn: (body: object) =>
      api<NewWorkflowResource>({
        method: 'PATCH',
        path,
        body,
        version: workflow.version,
        workspaceId: workspace.id,
      }),
    onSuccess: ({ action }) => {
      setSecret(action.secret);
    },
    // Also after a refusal: the next attempt changes what somebody else has made of it.
    onSettled: refresh,
    // The answer may hold a secret: nothing of it stays in the page's memory.
    gcTime: 0,
  });
  const test = useMutation({
    mutationFn: () => api({ method: 'POST', path: `${path}/test`, body: {}, workspaceId: workspace.id }),
    onSuccess: refresh,
  });
  if (!mayWrite) return null;
  const isReady = !change.isPending && !test.isPending;
  const isChanging = (one: string): boolean => change.isPending && one in change.variables;
  return (
    <>
      {change.error !== null && <Problem error={change.error} />}
      {test.error !== null && <Problem error={test.error} />}
      <div className={style['actions']}>
        <ActionButton isBusy={test.isPending} isReady={isReady} onClick={() => test.mutate()}>
          Send a test
        </ActionButton>
        <ActionButton
          isBusy={isChanging('enabled')}
          isReady={isReady}
          onClick={() => change.mutate({ enabled: !workflow.enabled })}
        >
          {workflow.enabled ? 'Disable' : 'Enable'}
        </ActionButton>
        <ActionButton
          isBusy={isChanging('action')}
          isReady={isReady}
          onClick={() => change.mutate({ action: { secret: null } })}
        >
          Make a new secret
        </ActionButton>
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
      </div>
      {isDeleting && (
        <DeleteNamed
          what={workflow.name}
          path={path}
          version={workflow.version}
          consequence="Nothing is sent any more, and its deliveries go with it."
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            cache.removeQueries({ queryKey: keyOfRead(workspace.id, path) });
            void refresh();
            void navigate({
              to: '/w/$workspaceId/workflows',
              params: { workspaceId: workspace.id },
              search: { site: workflow.site_id },
            });
          }}
        />
      )}
      {secret !== undefined && (
        <SecretOnce
          title="The new secret"
          secret={secret}
          kept={`${SECRET_KEPT}; the former one signs too for 24 hours`}
          onClose={() => {
            setSecret(undefined);
            change.reset();
          }}
        />
      )}
    </>
  );
}
