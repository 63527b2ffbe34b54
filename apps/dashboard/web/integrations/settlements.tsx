import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { IntegrationResource, SettlementResource, SettlementState } from '@truetally/node';
import { useMemo, useState } from 'react';
import { counted } from '../domain/counted.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FileInput } from '../elements/file-input.js';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { Problem } from '../elements/problem.js';
import { JobProgress } from '../layout/job-progress.js';
import { List } from '../layout/list.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

interface Part {
  readonly integration: IntegrationResource;
  readonly zone: string;
}

/** What a network says that it pays: uploaded here, or pulled by the service. */
export function Settlements({ integration, zone }: Part) {
  const { mayWrite } = useWorkspace();
  const list = useList<SettlementResource>(`/integrations/${integration.id}/settlements`);
  const columns = useMemo(() => columnsFor(zone), [zone]);
  return (
    <section>
      <h2>Settlements</h2>
      {mayWrite && <Upload integration={integration} />}
      <List
        list={list}
        name="settlements"
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <p>No settlement yet. The service asks the network each hour; a file of it can be uploaded.</p>
        }
      />
    </section>
  );
}

function Upload({ integration: { id } }: { readonly integration: IntegrationResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [jobId, setJobId] = useState<string>();
  const path = `/integrations/${id}/settlements`;
  const upload = useMutation({
    mutationFn: (content: File) =>
      api<{ readonly job_id: string }>({
        method: 'POST',
        path,
        file: { content, type: 'text/csv' },
        workspaceId: workspace.id,
      }),
    onSuccess: ({ job_id: started }) => setJobId(started),
  });
  return (
    <>
      <Field
        label="Upload a table"
        hint="CSV with a header row: provider_transaction_id, click_reference, order_reference, status, commissionable_amount, commission_amount, currency, transaction_at, updated_at"
      >
        <FileInput accept="text/csv,.csv" isBusy={upload.isPending} onFile={(file) => upload.mutate(file)} />
      </Field>
      {upload.error !== null && <Problem error={upload.error} />}
      {jobId !== undefined && (
        <JobProgress
          key={jobId}
          jobId={jobId}
          onOver={() => void cache.invalidateQueries({ queryKey: ['w', workspace.id, path] })}
        />
      )}
    </>
  );
}

function columnsFor(zone: string): readonly Column<SettlementResource>[] {
  return [
    { title: 'Transaction', cell: ({ provider_transaction_id: id }) => <code>{id}</code> },
    { title: `At (${zone})`, cell: ({ transaction_at: at }) => <Instant at={at} zone={zone} /> },
    { title: 'Status', cell: ({ status }) => <span className={style['badge']}>{status}</span> },
    ...AMOUNTS,
    {
      title: 'Click',
      cell: ({ has_click_reference: has }) => (has ? 'with a reference' : 'without a reference'),
    },
    {
      title: 'History',
      cell: ({ history, history_count: count }) => (
        <details>
          <summary>{counted(count, 'state')}</summary>
          <DataTable
            name="states"
            items={history}
            keyOf={({ recorded_at: at, status }) => `${at} ${status}`}
            columns={[
              { title: 'Recorded', cell: ({ recorded_at: at }) => <Instant at={at} zone={zone} /> },
              { title: 'By the network', cell: ({ updated_at: at }) => <Instant at={at} zone={zone} /> },
              { title: 'Status', cell: ({ status }) => status },
              ...AMOUNTS,
            ]}
          />
        </details>
      ),
    },
  ];
}

const AMOUNTS: readonly Column<SettlementState>[] = [
  {
    title: 'Commissionable',
    isNumber: true,
    cell: ({ commissionable_amount: amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    title: 'Commission',
    isNumber: true,
    cell: ({ commission_amount: amount, currency }) => <Money amount={amount} currency={currency} />,
  },
];
