import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ExperimentResource } from '@truetally/node';
import { useState } from 'react';
import { ACTIONS, type ExperimentAction } from '../domain/experiment-words.js';
import { ActionButton } from '../elements/action-button.js';
import { ConfirmDialog } from '../elements/confirm-dialog.js';
import style from '../elements/elements.module.css';
import { Problem } from '../elements/problem.js';
import { DeleteNamed } from '../layout/delete-named.js';
import { keyOfRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

const TITLES: Readonly<Record<ExperimentAction, string>> = {
  start: 'Start',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
};

/** What may be done in the experiment's state; one that was changed elsewhere is read again. */
export function StateControls({ experiment }: { readonly experiment: ExperimentResource }) {
  const { api } = usePage();
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'stop' | 'delete'>();
  const path = `/partner-experiments/${experiment.id}`;
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: ['w', workspace.id] });
  const act = useMutation({
    mutationFn: (action: ExperimentAction) =>
      api({ method: 'POST', path: `${path}/${action}`, workspaceId: workspace.id }),
    onSettled: () => {
      setAsked(undefined);
      return refresh();
    },
  });
  if (!mayWrite) return null;
  return (
    <>
      {act.error !== null && <Problem error={act.error} />}
      <div className={style['actions']}>
        {ACTIONS[experiment.state].map((action) => (
          <ActionButton
            key={action}
            isBusy={act.isPending && act.variables === action}
            isReady={!act.isPending}
            onClick={() => (action === 'stop' ? setAsked('stop') : act.mutate(action))}
          >
            {TITLES[action]}
          </ActionButton>
        ))}
        {experiment.state === 'draft' && (
          <button type="button" onClick={() => setAsked('delete')}>
            Delete
          </button>
        )}
      </div>
      {asked === 'stop' && (
        <ConfirmDialog
          title={`Stop ${experiment.name}?`}
          change={{ ...act, mutate: () => act.mutate('stop') }}
          verb="Stop it"
          keep="Let it run"
          onClose={() => setAsked(undefined)}
        >
          <p>
            It assigns nobody any more, and cannot be started again. Orders within the window of sessions that
            take part still count.
          </p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <DeleteNamed
          what={experiment.name}
          path={path}
          version={experiment.version}
          consequence="The draft goes."
          onClose={() => setAsked(undefined)}
          onDeleted={() => {
            cache.removeQueries({ queryKey: keyOfRead(workspace.id, path) });
            void refresh();
            void navigate({
              to: '/w/$workspaceId/partner-experiments',
              params: { workspaceId: workspace.id },
              search: { site: experiment.site_id },
            });
          }}
        />
      )}
    </>
  );
}
