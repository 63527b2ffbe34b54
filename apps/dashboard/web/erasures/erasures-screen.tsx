import { Link, useSearch } from '@tanstack/react-router';
import type { ErasureResource, SiteResource } from '@truetally/node';
import type { Column } from '../elements/data-table.js';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

export function ErasuresScreen() {
  return (
    <SiteScreen title="Erasures" roles={['owner', 'admin']}>
      {(site) => <Erasures site={site} />}
    </SiteScreen>
  );
}

function Erasures({ site }: { readonly site: SiteResource }) {
  const { workspace } = useWorkspace();
  const { user_id: userId } = useSearch({ from: '/w/$workspaceId/erasures' });
  const erasures = useList<ErasureResource>('/profiles/erasures', { site_id: site.id, user_id: userId });
  const columns: readonly Column<ErasureResource>[] = [
    {
      title: 'Proof',
      cell: ({ id }) => (
        <Link
          to="/w/$workspaceId/erasures/$erasureId"
          params={{ workspaceId: workspace.id, erasureId: id }}
          search={{ site: site.id }}
        >
          <code>{id}</code>
        </Link>
      ),
    },
    {
      title: `Requested (${site.timezone})`,
      cell: ({ requested_at: at }) => <Instant at={at} zone={site.timezone} />,
    },
    { title: 'By', cell: ({ requested_by: by }) => (by === null ? 'the service' : <code>{by}</code>) },
    {
      title: 'Finished',
      cell: ({ finished_at: at }) => (at === null ? 'under way' : <Instant at={at} zone={site.timezone} />),
    },
  ];
  return (
    <>
      <Filters values={{ user_id: userId }}>
        <Field label="User id" hint="Found by a keyed hash: the id itself is not kept">
          <input name="user_id" defaultValue={userId ?? ''} autoComplete="off" />
        </Field>
      </Filters>
      <List
        list={erasures}
        name="erasures"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>{userId === undefined ? 'Nobody was erased yet.' : 'Nobody with this id was erased.'}</p>}
      />
    </>
  );
}
