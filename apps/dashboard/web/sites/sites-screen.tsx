import { Link } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Notice } from '../elements/problem.js';
import { Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { StorefrontLine } from './storefront-line.js';

const COLUMNS = [
  {
    title: 'Name',
    cell: (site: SiteResource) => (
      <>
        <Link
          to="/w/$workspaceId/sites/$siteId"
          params={{ workspaceId: site.workspace_id, siteId: site.id }}
          search={{ site: site.id }}
        >
          {site.name}
        </Link>
        <br />
        <span className={style['quiet']}>{site.domain}</span>
      </>
    ),
  },
  { title: 'Site id', cell: (site: SiteResource) => <code>{site.id}</code> },
  { title: 'Currency', cell: (site: SiteResource) => site.currency },
  { title: 'Time zone', cell: (site: SiteResource) => site.timezone },
  { title: 'Publisher mode', cell: (site: SiteResource) => site.publisher_mode },
  { title: 'Created', cell: (site: SiteResource) => <Instant at={site.created_at} zone={site.timezone} /> },
];

export function SitesScreen() {
  const { workspace, sites, site, mayWrite } = useWorkspace();
  return (
    <Screen title="Sites">
      {mayWrite && (
        <p>
          <Link to="/w/$workspaceId/sites/new" params={{ workspaceId: workspace.id }}>
            Add a site
          </Link>
        </p>
      )}
      {sites.length === 0 ? (
        <Notice>
          <p>No site yet. A site is a shop: its events, keys and orders belong to it.</p>
          {mayWrite && (
            <p>
              <Link to="/w/$workspaceId/get-started" params={{ workspaceId: workspace.id }}>
                Get started
              </Link>{' '}
              leads to the first event.
            </p>
          )}
        </Notice>
      ) : (
        <DataTable name="sites" items={sites} columns={COLUMNS} keyOf={({ id }) => id} />
      )}
      {site !== undefined && (
        <section>
          <h2>
            The line for <bdi>{site.name}</bdi>’s pages
          </h2>
          <StorefrontLine site={site} />
        </section>
      )}
    </Screen>
  );
}
