import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { MemberResource } from '@truetally/node';
import { ConfirmDialog } from '../elements/confirm-dialog.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { workspacesQuery } from '../workspaces/workspaces.queries.js';

/** Ends a membership, one's own too: nothing of the workspace is shown then. */
export function RemoveMember({
  member,
  name,
  isOwn,
  onClose,
}: {
  readonly member: MemberResource;
  readonly name: string;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => api({ method: 'DELETE', path: `/workspaces/${workspace.id}/members/${member.id}` }),
    onSuccess: async () => {
      if (!isOwn) {
        await cache.invalidateQueries({ queryKey: ['w', workspace.id, 'members'] });
        return onClose();
      }
      // Not asked for again: a gateway may list it for a moment more.
      cache.setQueryData(workspacesQuery(api).queryKey, (known) =>
        known?.filter(({ id }) => id !== workspace.id),
      );
      await navigate({ to: '/' });
      cache.removeQueries({ queryKey: ['w', workspace.id] });
    },
  });
  return (
    <ConfirmDialog
      title={isOwn ? `Leave ${workspace.name}?` : `Remove ${name}?`}
      change={remove}
      verb={isOwn ? 'Leave it' : 'Remove'}
      keep={isOwn ? 'Stay' : 'Keep'}
      onClose={onClose}
    >
      <p>
        {isOwn
          ? 'You see nothing of it afterwards; another member may invite you again.'
          : `${name} sees nothing of ${workspace.name} afterwards, within a second. An invitation undoes it.`}
      </p>
    </ConfirmDialog>
  );
}
