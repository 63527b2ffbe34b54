import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { DeliveryAttemptResource, DeliveryResource, WorkflowResource } from '@truetally/node';
import { useMemo } from 'react';
import { counted } from '../domain/counted.js';
import { DELIVERY_STATUSES } from '../domain/delivery-search.js';
import { wordsOf } from '../domain/event-types.js';
import { ActionButton } from '../elements/action-button.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Problem } from '../elements/problem.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { RangePicker } from '../layout/range-picker.js';
import { useDays } from '../layout/use-days.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { ReplayRange } from './replay-range.js';

const IDS = { order_id: 'Order id', event_id: 'Event id', record_id: 'Record id' } as const;

export function Deliveries({
  workflow,
  zone,
}: {
  readonly workflow: WorkflowResource;
  readonly zone: string;
}) {
  const { api } = usePage();
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const { days } = useDays();
  const search = useSearch({ from: '/w/$workspaceId/workflows/$workflowId' });
  const filters = {
    status: search.status,
    order_id: search.order_id,
    event_id: search.event_id,
    record_id: search.record_id,
  };
  const path = `/workflows/${workflow.id}/deliveries`;
  const deliveries = useList<DeliveryResource>(path, { ...days, ...filters });
  // The workflow too: it tells when it was last delivered, and may have been disabled.
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: ['w', workspace.id] });
  const replay = useMutation({
    mutationFn: (id: string) =>
      api<DeliveryResource>({ method: 'POST', path: `${path}/${id}/replay`, workspaceId: workspace.id }),
    onSuccess: refresh,
  });
  const { mutate: onReplay } = replay;
  const sent = replay.isPending ? replay.variables : undefined;
  const columns = useMemo(
    () => columnsFor(zone, mayWrite ? { sent, onReplay } : undefined),
    [zone, mayWrite, sent, onReplay],
  );
  return (
    <section>
      <h2>Deliveries</h2>
      <RangePicker />
      <Filters values={filters}>
        <Field label="Status">
          <select name="status" defaultValue={filters.status ?? ''}>
            <Options of={DELIVERY_STATUSES} none="all" />
          </select>
        </Field>
        {Object.entries(IDS).map(([name, title]) => (
          <Field key={name} label={title}>
            <input name={name} defaultValue={filters[name as keyof typeof IDS] ?? ''} autoComplete="off" />
          </Field>
        ))}
      </Filters>
      <ActionButton isBusy={deliveries.isFetching} onClick={() => void refresh()}>
        Look again
      </ActionButton>
      {mayWrite && <ReplayRange workflow={workflow} zone={zone} />}
      {replay.error !== null && <Problem error={replay.error} />}
      <List
        list={deliveries}
        name="deliveries"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>No delivery fits. Deliveries are kept for 30 days; a test makes one.</p>}
      />
    </section>
  );
}

interface Replaying {
  /** The one whose sending is under way. */
  readonly sent: string | undefined;
  readonly onReplay: (id: string) => void;
}

function columnsFor(zone: string, replaying: Replaying | undefined): readonly Column<DeliveryResource>[] {
  return [
    { title: `Created (${zone})`, cell: ({ created_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Of',
      cell: ({ event_type: type, order_id: order, event_id: event, record_id: record, test }) => (
        <>
          {wordsOf(type)} {test && <span className={style['badge']}>test</span>}
          <br />
          {order !== null && `order ${order}, `}
          <code>{event ?? record ?? ''}</code>
        </>
      ),
    },
    {
      title: 'Status',
      cell: ({ status, next_attempt_at: next }) => (
        <>
          <span className={style['badge']}>{status}</span>
          {next !== null && (
            <>
              {' '}
              next attempt <Instant at={next} zone={zone} />
            </>
          )}
        </>
      ),
    },
    { title: 'Attempts', cell: ({ attempts }) => <Attempts attempts={attempts} zone={zone} /> },
    ...(replaying === undefined
      ? []
      : [
          {
            title: 'Actions',
            cell: ({ id, status, order_id: order, event_id: event }: DeliveryResource) =>
              status !== 'pending' && (
                <ActionButton
                  label={`Send again ${order ?? event ?? id}`}
                  isBusy={replaying.sent === id}
                  isReady={replaying.sent === undefined}
                  onClick={() => replaying.onReplay(id)}
                >
                  Send again
                </ActionButton>
              ),
          },
        ]),
  ];
}

function Attempts({
  attempts,
  zone,
}: {
  readonly attempts: readonly DeliveryAttemptResource[];
  readonly zone: string;
}) {
  const last = attempts.at(-1);
  if (last === undefined) return 'none yet';
  return (
    <details>
      <summary>
        {counted(attempts.length, 'attempt')}, the last: {last.status ?? last.error ?? 'no answer'}
      </summary>
      <DataTable
        name="attempts"
        items={attempts}
        keyOf={({ at }) => at}
        columns={[
          { title: 'At', cell: ({ at }) => <Instant at={at} zone={zone} /> },
          {
            title: 'Status',
            cell: ({ status, replay }) => (
              <>
                {status ?? 'no answer'} {replay && <span className={style['badge']}>replay</span>}
              </>
            ),
          },
          { title: 'Took', isNumber: true, cell: ({ latency_ms: ms }) => `${ms.toLocaleString('en')} ms` },
          { title: 'Error', cell: ({ error }) => error ?? 'none' },
          {
            title: 'Answer',
            cell: ({ response }) => (response === null ? 'none' : <code>{response}</code>),
          },
        ]}
      />
    </details>
  );
}
