import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../elements/dialog.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Problem } from '../elements/problem.js';
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
  });
  return (
    <Dialog title={`Delete ${what}?`} onClose={onClose}>
      <p>{consequence} This cannot be undone.</p>
      {remove.error !== null && <Problem error={remove.error} />}
      <Field label={`Type ${what} to delete it`}>
        <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
      </Field>
      <div className={style['actions']}>
        <button type="button" disabled={typed !== what || remove.isPending} onClick={() => remove.mutate()}>
          Delete it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
