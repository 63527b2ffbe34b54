import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { JobResource } from '@truetally/node';
import { useEffect, useRef } from 'react';
import style from '../elements/elements.module.css';
import { Problem } from '../elements/problem.js';
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
  const path = `/jobs/${jobId}`;
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
        <span className={style['badge']}>{job.state}</span> {job.done.toLocaleString('en')} of{' '}
        {job.total.toLocaleString('en')} done, {job.failed.toLocaleString('en')} failed
      </p>
      {cancel.error !== null && <Problem error={cancel.error} />}
      {mayWrite && job.cancellable && !isOver(job) && (
        <button type="button" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel the job
        </button>
      )}
      {job.errors.length > 0 && (
        <ul>
          {job.errors.map(({ row, field, message }, index) => (
            <li key={index}>
              {row !== null && `row ${row}: `}
              {field !== null && <code>{field}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function isOver({ state }: JobResource): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
