import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isSameName } from '../domain/same-name.js';
import { ConfirmDialog } from '../elements/confirm-dialog.js';
import { Field } from '../elements/field.js';
import { usePage } from '../session/page-context.js';
import { useWorkspace } from './workspace-context.js';

/** Asks before what cannot be undone, and wants the name typed. */
export function DeleteNamed<T>({
  what,
  path,
  query,
  version,
  consequence,
  onClose,
  onDeleted,
}: {
  readonly what: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly version?: number;
  readonly consequence: string;
  readonly onClose: () => void;
  readonly onDeleted: (answer: T) => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      api<T>({
        method: 'DELETE',
        path,
        workspaceId: workspace.id,
        ...(query !== undefined && { query }),
        ...(version !== undefined && { version }),
      }),
    onSuccess: onDeleted,
    // It may have been changed meanwhile: the next attempt deletes what somebody else has made of it.
    onError: () => cache.invalidateQueries({ queryKey: ['w', workspace.id] }),
  });
  return (
    <ConfirmDialog
      title={`Delete ${what}?`}
      change={remove}
      verb="Delete it"
      isReady={isSameName(typed, what)}
      onClose={onClose}
    >
      <p>{consequence} This cannot be undone.</p>
      <Field label={`Type ${what} to delete it`}>
        <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
      </Field>
    </ConfirmDialog>
  );
}
