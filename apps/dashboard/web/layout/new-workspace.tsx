import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OwnWorkspace } from '@truetally/node';
import { type FormEvent, useMemo, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { ActionButton } from '../elements/action-button.js';
import { DialogActions } from '../elements/dialog-actions.js';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { usePage } from '../session/page-context.js';
import type { useDraft } from '../session/use-draft.js';

export interface WorkspaceDraft {
  readonly name: string;
}

/** The reader's first workspace, or one more in a dialog, which knows what comes behind it. */
export function NewWorkspace({
  draft,
  dialog,
}: {
  readonly draft: ReturnType<typeof useDraft<WorkspaceDraft>>;
  readonly dialog?: {
    readonly onMade: (id: string) => Promise<void>;
    readonly onClose: () => void;
  };
}) {
  const { api } = usePage();
  const cache = useQueryClient();
  const [name, setName] = useState(draft.kept?.name ?? '');
  const change = (changed: string): void => {
    setName(changed);
    draft.keep({ name: changed });
  };
  // The same for each press of the button, and another for another name.
  const key = useMemo(() => ({ of: name, id: crypto.randomUUID() }), [name]).id;
  const create = useMutation({
    mutationFn: () =>
      api<Pick<OwnWorkspace, 'id'>>({
        method: 'POST',
        path: '/workspaces',
        body: { name },
        idempotencyKey: key,
      }),
    onSuccess: async ({ id }) => {
      draft.forget();
      await cache.invalidateQueries({ queryKey: ['workspaces'] });
      await dialog?.onMade(id);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const refused = fieldErrors(create.error, ['name']);
  return (
    <form onSubmit={submit}>
      <FormProblem error={create.error} refused={refused} />
      <Field label="Name" error={refused.byField('name')}>
        <input
          value={name}
          onChange={({ target }) => change(target.value)}
          required
          autoComplete="organization"
        />
      </Field>
      {dialog === undefined ? (
        <ActionButton type="submit" isBusy={create.isPending}>
          Make it
        </ActionButton>
      ) : (
        <DialogActions verb="Make it" isBusy={create.isPending} onKeep={dialog.onClose} />
      )}
    </form>
  );
}
