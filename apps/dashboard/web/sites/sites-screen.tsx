import { Link } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { Copyable } from '../elements/copyable.js';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Notice } from '../elements/problem.js';
import { Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

const COLUMNS = [
  {
    title: 'Name',
    cell: (site: SiteResource) => (
      <>
        {site.name}
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
  const { apiBaseUrl } = usePage();
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
        </Notice>
      ) : (
        <DataTable name="sites" items={sites} columns={COLUMNS} keyOf={({ id }) => id} />
      )}
      {site !== undefined && (
        <section>
          <h2>The line for {site.name}’s pages</h2>
          <p>
            It sends page views, and what your shop tracks, from these origins:{' '}
            {site.allowed_origins.join(', ')}.
          </p>
          <Copyable name="the line" text={snippetOf(site.id, apiBaseUrl)} />
        </section>
      )}
    </Screen>
  );
}

function snippetOf(siteId: string, apiBaseUrl: string): string {
  const script = new URL('/sdk/v1/truetally.js', apiBaseUrl).href;
  return `<script src="${script}" data-site-id="${siteId}"></script>`;
}
