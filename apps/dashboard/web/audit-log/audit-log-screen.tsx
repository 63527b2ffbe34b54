import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEntryResource } from '@truetally/node';
import { cursors, type Page } from '../api/pages.js';
import { type Column, DataTable } from '../elements/data-table.js';
import { Instant } from '../elements/instant.js';
import { Notice } from '../elements/problem.js';
import { Known, Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

export function AuditLogScreen() {
  const { workspace } = useWorkspace();
  return (
    <Screen title="Audit log">
      {workspace.role === 'owner' ? (
        <Entries />
      ) : (
        <Notice>
          <p>The audit log needs the role owner.</p>
        </Notice>
      )}
    </Screen>
  );
}

function Entries() {
  const { api } = usePage();
  const { workspace, zone } = useWorkspace();
  const entries = useInfiniteQuery({
    queryKey: ['w', workspace.id, 'audit-log'],
    queryFn: ({ signal, pageParam }) =>
      api<Page<AuditEntryResource>>({
        path: '/audit-log',
        query: { cursor: pageParam },
        workspaceId: workspace.id,
        signal,
      }),
    ...cursors,
  });
  const columns: readonly Column<AuditEntryResource>[] = [
    { title: `When (${zone})`, cell: ({ at }) => <Instant at={at} zone={zone} /> },
    { title: 'Who', cell: ({ actor }) => (actor === null ? 'the service' : <code>{actor}</code>) },
    { title: 'Did', cell: ({ action }) => action.replaceAll(/[._]/g, ' ') },
    {
      title: 'To',
      cell: ({ resource, resource_id: id }) => (
        <>
          {resource.replaceAll('_', ' ')} <code>{id}</code>
        </>
      ),
    },
  ];
  return (
    <Known query={entries}>
      {({ pages }) => (
        <DataTable
          name="changes"
          items={pages.flatMap(({ items }) => items)}
          columns={columns}
          keyOf={({ id }) => id}
          onMore={entries.hasNextPage ? () => void entries.fetchNextPage() : undefined}
          isLoadingMore={entries.isFetchingNextPage}
        />
      )}
    </Known>
  );
}
