import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { usePage } from '../session/page-context.js';
import { useWorkspace } from './workspace-context.js';

const CONFLICT = 409;

interface Change<Fields, T> {
  readonly fields: Fields;
  /** That the change is based on; undefined makes a new one. */
  readonly version: number | undefined;
  /** Of somebody else: what it takes the place of. */
  readonly theirs?: T;
}

/** Saves what somebody else may have changed meanwhile: theirs is kept to be shown beside one's own. */
export function useSaving<Fields, T extends { readonly version: number }>({
  path,
  send,
  onSaved,
}: {
  readonly path: string;
  readonly send: (change: Change<Fields, T>) => Promise<T>;
  /** Of the mutation and not of one call: it is told also when the form has gone meanwhile. */
  readonly onSaved: (saved: T) => Promise<void>;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const [conflict, setConflict] = useState<T>();
  const save = useMutation({
    mutationFn: send,
    onMutate: () => setConflict(undefined),
    onSuccess: onSaved,
    onError: async (error, { version }) => {
      if (!(error instanceof ApiError) || error.status !== CONFLICT || version === undefined) return;
      const theirs = await api<T>({ path, workspaceId: workspace.id });
      if (theirs.version !== version) setConflict(theirs);
    },
  });
  const forgetConflict = (): void => {
    setConflict(undefined);
    save.reset();
  };
  return { save, conflict, forgetConflict };
}
