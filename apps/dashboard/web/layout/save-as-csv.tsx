import { useMutation } from '@tanstack/react-query';
import type { ApiRequest } from '../api/request.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Problem } from '../elements/problem.js';
import { saveTable } from '../elements/save-file.js';
import { usePage } from '../session/page-context.js';
import { useWorkspace } from './workspace-context.js';

/** Saves a table of the service under this name, as it is. */
export function SaveAsCsv({
  what = 'these',
  file,
  ...request
}: Pick<ApiRequest, 'path' | 'query'> & { readonly what?: string; readonly file: string }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const save = useMutation({
    mutationFn: () => api<Blob>({ ...request, workspaceId: workspace.id }),
    onSuccess: (table) => saveTable(file, table),
  });
  return (
    <>
      {save.error !== null && <Problem error={save.error} />}
      <div className={style['actions']}>
        <ActionButton isBusy={save.isPending} onClick={() => save.mutate()}>
          Save {what} as CSV
        </ActionButton>
      </div>
    </>
  );
}
