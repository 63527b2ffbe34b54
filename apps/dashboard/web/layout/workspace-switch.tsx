import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OwnWorkspace } from '@truetally/node';
import { useState } from 'react';
import { Dialog } from '../elements/dialog.js';
import { useDraft } from '../session/use-draft.js';
import { NewWorkspace, type WorkspaceDraft } from './new-workspace.js';
import { PlaceChoice } from './place-choice.js';

/** Leads to another of the reader’s workspaces, and beside them to one that is made for it. */
export function WorkspaceSwitch({
  workspaces,
  current,
  onSwitch,
}: {
  readonly workspaces: readonly OwnWorkspace[];
  readonly current: OwnWorkspace;
  readonly onSwitch: (change: (left: readonly string[]) => readonly string[]) => void;
}) {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const draft = useDraft<WorkspaceDraft>('new-workspace');
  const [isMaking, setMaking] = useState(draft.kept !== undefined);
  const close = (): void => {
    draft.forget();
    setMaking(false);
  };
  const choose = async (workspaceId: string): Promise<void> => {
    if (workspaceId === current.id) return;
    onSwitch((left) => left.filter((id) => id !== workspaceId));
    await navigate({ to: '/w/$workspaceId/sites', params: { workspaceId } });
    // Nothing of the former workspace is shown again, not even by Back.
    cache.removeQueries({ queryKey: ['w', current.id] });
    onSwitch((left) => [...left, current.id]);
  };
  const onMade = async (id: string): Promise<void> => {
    setMaking(false);
    await choose(id);
  };
  return (
    <>
      <PlaceChoice
        label="Workspace"
        current={current.id}
        places={workspaces}
        onChoose={(id) => void choose(id)}
      />
      <button type="button" aria-label="New workspace" title="New workspace" onClick={() => setMaking(true)}>
        +
      </button>
      {isMaking && (
        <Dialog title="New workspace" onClose={close}>
          <NewWorkspace draft={draft} dialog={{ onMade, onClose: close }} />
        </Dialog>
      )}
    </>
  );
}
