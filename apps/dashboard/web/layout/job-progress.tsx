import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { JobResource } from '@truetally/node';
import { useEffect, useRef } from 'react';
import { errorsAsCsv } from '../domain/job-errors.js';
import { ActionButton } from '../elements/action-button.js';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Problem } from '../elements/problem.js';
import { saveTable } from '../elements/save-file.js';
import { usePage } from '../session/page-context.js';
import { Known } from './screen.js';
import { keyOfRead, useRead } from './use-read.js';
import { useWorkspace } from './workspace-context.js';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 10_000;

/** A job until it ends: the only thing that is asked for again by itself, ever more slowly. */
export function JobProgress({
  jobId,
  onOver,
}: {
  readonly jobId: string;
  /** Once, when it has ended. */
  readonly onOver?: () => void;
}) {
  const path = `/jobs/${encodeURIComponent(jobId)}`;
  const job = useRead<JobResource>(
    path,
    {},
    {
      refetchMs: (data, answers) =>
        data !== undefined && isOver(data)
          ? false
          : Math.min(FIRST_PAUSE_MS * (answers + 1), LONGEST_PAUSE_MS),
    },
  );
  const hasEnded = job.data !== undefined && isOver(job.data);
  const told = useRef(onOver);
  useEffect(() => {
    if (hasEnded) told.current?.();
  }, [hasEnded]);
  return <Known query={job}>{(data) => <Progress job={data} path={path} />}</Known>;
}

function Progress({ job, path }: { readonly job: JobResource; readonly path: string }) {
  const { api } = usePage();
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => api({ method: 'POST', path: `/jobs/${job.job_id}/cancel`, workspaceId: workspace.id }),
    onSuccess: () => cache.invalidateQueries({ queryKey: keyOfRead(workspace.id, path) }),
  });
  return (
    <section aria-label={`Job ${job.type}`}>
      <p role="status">
        {job.type}: <span className={style['badge']}>{job.state}</span> {job.done.toLocaleString('en')} of{' '}
        {job.total.toLocaleString('en')} done, {job.failed.toLocaleString('en')} failed
      </p>
      {cancel.error !== null && <Problem error={cancel.error} />}
      {mayWrite && job.cancellable && !isOver(job) && (
        <ActionButton isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel the job
        </ActionButton>
      )}
      {job.errors.length > 0 && <RowErrors job={job} />}
    </section>
  );
}

function RowErrors({ job: { job_id: jobId, errors } }: { readonly job: JobResource }) {
  return (
    <>
      <DataTable
        name="errors"
        items={errors.map((error, place) => ({ ...error, place }))}
        keyOf={({ place }) => String(place)}
        columns={[
          { title: 'Row', isNumber: true, cell: ({ row }) => row ?? 'none' },
          { title: 'Field', cell: ({ field }) => (field === null ? 'the whole row' : <code>{field}</code>) },
          { title: 'What is wrong', cell: ({ message }) => message },
        ]}
      />
      <div className={style['actions']}>
        <button type="button" onClick={() => saveTable(`errors-${jobId}.csv`, errorsAsCsv(errors))}>
          Save the errors as CSV
        </button>
      </div>
      <p className={style['quiet']}>At most the first 1,000 errors of a job are kept.</p>
    </>
  );
}

function isOver({ state }: JobResource): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
