import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OwnWorkspace } from '@truetally/node';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Problem } from '../elements/problem.js';
import { usePage } from '../session/page-context.js';

/** Nothing of a workspace is seen before its invitation is accepted, but the name that a stranger chose: as a quotation, never as ours. */
export function Invitation({ workspace }: { readonly workspace: OwnWorkspace }) {
  const { api } = usePage();
  const cache = useQueryClient();
  const answer = useMutation({
    mutationFn: (choice: 'accept' | 'decline') =>
      api({ method: 'POST', path: `/workspaces/${workspace.id}/members/${choice}` }),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['workspaces'] }),
  });
  const isAnswered = (choice: string): boolean => answer.isPending && answer.variables === choice;
  return (
    <section className={style['notice']} aria-label={`Invitation to ${workspace.name}`}>
      <p>
        You are invited, as {workspace.role}, to a workspace that calls itself{' '}
        <q className={style['stranger']}>{workspace.name}</q>. Accept only if you expect it.
      </p>
      {answer.error !== null && <Problem error={answer.error} />}
      <div className={style['actions']}>
        <ActionButton
          isBusy={isAnswered('accept')}
          isReady={!answer.isPending}
          onClick={() => answer.mutate('accept')}
        >
          Accept
        </ActionButton>
        <ActionButton
          isBusy={isAnswered('decline')}
          isReady={!answer.isPending}
          onClick={() => answer.mutate('decline')}
        >
          Decline
        </ActionButton>
      </div>
    </section>
  );
}
