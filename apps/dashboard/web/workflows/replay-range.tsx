import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeliveryResource, SiteResource, WorkflowResource } from '@truetally/node';
import { useState } from 'react';
import type { Page } from '../api/pages.js';
import { startOfDay } from '../domain/site-days.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Problem } from '../elements/problem.js';
import { JobProgress } from '../layout/job-progress.js';
import { type Days, useDays } from '../layout/use-days.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

const PAGE_ITEMS = 200;
/** More are not counted one page after another: the answer to the replay says how many they are. */
const MAX_PAGES = 10;

const KINDS = { dead: ['dead'], delivered: ['delivered'], both: ['dead', 'delivered'] } as const;

type Kind = keyof typeof KINDS;

interface Counted {
  readonly kind: Kind;
  readonly days: Days;
  readonly count: number;
  readonly isAll: boolean;
}

/** Sends a whole range again: how many it are is said before anything is sent, and the job can be cancelled. */
export function ReplayRange({
  workflow,
  zone,
}: {
  readonly workflow: WorkflowResource;
  readonly zone: SiteResource['timezone'];
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const { days } = useDays();
  const [kind, setKind] = useState<Kind>('dead');
  const path = `/workflows/${workflow.id}/deliveries`;
  const count = useMutation({
    mutationFn: async (): Promise<Counted> => {
      const range = { from: startOfDay(days.from, zone), to: startOfDay(days.to, zone) };
      let found = 0;
      let isAll = true;
      for (const status of KINDS[kind]) {
        let cursor: string | undefined;
        for (let page = 0; page < MAX_PAGES; page += 1) {
          const query = { ...range, status, cursor, limit: PAGE_ITEMS };
          const { items, next_cursor: next } = await api<Page<DeliveryResource>>({
            path,
            query,
            workspaceId: workspace.id,
          });
          // Tests are never part of a range.
          found += items.filter(({ test }) => !test).length;
          cursor = next ?? undefined;
          if (cursor === undefined) break;
        }
        isAll &&= cursor === undefined;
      }
      return { kind, days, count: found, isAll };
    },
  });
  const replay = useMutation({
    mutationFn: ({ kind: chosen, days: { from, to } }: Counted) =>
      api<{ readonly job_id: string; readonly matched: number }>({
        method: 'POST',
        path: `${path}/replay`,
        body: { from: startOfDay(from, zone), to: startOfDay(to, zone), statuses: KINDS[chosen] },
        workspaceId: workspace.id,
      }),
    onSuccess: () => count.reset(),
  });
  const choose = (chosen: Kind): void => {
    setKind(chosen);
    count.reset();
  };
  // A count of other days is none of these.
  const isOfThese = count.data?.days.from === days.from && count.data.days.to === days.to;
  const counted = isOfThese ? count.data : undefined;
  return (
    <details>
      <summary>Send all of these days again</summary>
      <Field label="Which">
        <select value={kind} onChange={({ target }) => choose(target.value as Kind)}>
          <option value="dead">dead ones</option>
          <option value="delivered">delivered ones</option>
          <option value="both">dead and delivered ones</option>
        </select>
      </Field>
      {count.error !== null && <Problem error={count.error} />}
      {replay.error !== null && <Problem error={replay.error} />}
      <div className={style['actions']}>
        <ActionButton isBusy={count.isPending} onClick={() => count.mutate()}>
          Count them
        </ActionButton>
        {counted !== undefined && counted.count > 0 && (
          <ActionButton isBusy={replay.isPending} onClick={() => replay.mutate(counted)}>
            Send {numberOf(counted)} again
          </ActionButton>
        )}
      </div>
      <div role="status">
        {counted !== undefined && (
          <p>
            {numberOf(counted)} of {days.from} up to the start of {days.to} ({zone}) fit.
            {counted.count > 0 && ' Nothing is sent before the next click.'}
          </p>
        )}
        {replay.data !== undefined && <p>{replay.data.matched.toLocaleString('en')} are sent again.</p>}
      </div>
      {replay.data !== undefined && (
        <JobProgress
          key={replay.data.job_id}
          jobId={replay.data.job_id}
          onOver={() => void cache.invalidateQueries({ queryKey: ['w', workspace.id, path] })}
        />
      )}
    </details>
  );
}

function numberOf({ count, isAll }: Counted): string {
  return `${isAll ? '' : 'at least '}${count.toLocaleString('en')}`;
}
