import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';
import { workspacesQuery } from '../workspaces/workspaces.queries.js';

/** Changes the name that members see above every screen, and invited people in their invitation. */
export function RenameWorkspace() {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const draft = useDraft<{ readonly name: string }>(`workspace:${workspace.id}`);
  const [name, setName] = useState(draft.kept?.name ?? workspace.name);
  const change = (changed: string): void => {
    setName(changed);
    draft.keep({ name: changed });
  };
  const rename = useMutation({
    mutationFn: () =>
      api({
        method: 'PATCH',
        path: `/workspaces/${workspace.id}`,
        body: { name },
        version: workspace.version,
      }),
    onSuccess: draft.forget,
    // Also after a refusal: the next attempt changes what somebody else has made of it.
    onSettled: () => cache.invalidateQueries({ queryKey: workspacesQuery(api).queryKey }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!rename.isPending) rename.mutate();
  };
  const refused = fieldErrors(rename.error, ['name']);
  return (
    <form onSubmit={submit} noValidate>
      <FormProblem error={rename.error} refused={refused} />
      <Field label="Name of the workspace" error={refused.byField('name')}>
        <input value={name} onChange={({ target }) => change(target.value)} autoComplete="off" />
      </Field>
      <div className={style['actions']}>
        <ActionButton type="submit" isBusy={rename.isPending} isReady={name !== workspace.name}>
          Rename it
        </ActionButton>
        <span role="status">{rename.isSuccess && 'Renamed'}</span>
      </div>
    </form>
  );
}
