import { useInfiniteQuery } from '@tanstack/react-query';
import type { MemberResource } from '@truetally/node';
import { cursors, type Page } from '../api/pages.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Known, Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

export function MembersScreen() {
  const { api } = usePage();
  const { workspace, zone } = useWorkspace();
  const members = useInfiniteQuery({
    queryKey: ['w', workspace.id, 'members'],
    queryFn: ({ signal, pageParam }) =>
      api<Page<MemberResource>>({
        path: `/workspaces/${workspace.id}/members`,
        query: { cursor: pageParam },
        signal,
      }),
    ...cursors,
  });
  const columns: readonly Column<MemberResource>[] = [
    { title: 'Who', cell: ({ email, sub }) => email ?? sub ?? 'not known' },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'Membership', cell: ({ membership }) => <span className={style['badge']}>{membership}</span> },
    { title: `Since (${zone})`, cell: ({ created_at: at }) => <Instant at={at} zone={zone} /> },
  ];
  return (
    <Screen title="Members">
      <Known query={members}>
        {({ pages }) => (
          <DataTable
            name="members"
            items={pages.flatMap(({ items }) => items)}
            columns={columns}
            keyOf={({ id }) => id}
            onMore={members.hasNextPage ? () => void members.fetchNextPage() : undefined}
            isLoadingMore={members.isFetchingNextPage}
          />
        )}
      </Known>
    </Screen>
  );
}
