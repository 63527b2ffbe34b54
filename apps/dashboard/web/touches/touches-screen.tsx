import { Link } from '@tanstack/react-router';
import type { SiteResource, TouchResource } from '@truetally/node';
import { useMemo } from 'react';
import type { Column } from '../elements/data-table.js';
import { Instant } from '../elements/instant.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';

export function TouchesScreen() {
  return <SiteScreen title="Touches">{(site) => <Touches site={site} />}</SiteScreen>;
}

function Touches({ site }: { readonly site: SiteResource }) {
  const { id: siteId, timezone: zone } = site;
  const columns = useMemo(() => columnsFor(zone), [zone]);
  const touches = useList<TouchResource>('/partner-attribution/touches', { website_id: siteId });
  return (
    <List
      list={touches}
      name="touches"
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <p>
          No touch yet.{' '}
          <Link
            to="/w/$workspaceId/sites/$siteId"
            params={{ workspaceId: site.workspace_id, siteId: site.id }}
            search={{ site: site.id }}
          >
            The line for the shop’s pages
          </Link>{' '}
          sends one when a visitor comes by a partner’s link.
        </p>
      }
    />
  );
}

function columnsFor(zone: string): readonly Column<TouchResource>[] {
  return [
    { title: `Occurred (${zone})`, cell: ({ occurred_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Partner',
      cell: ({ provider, partner_id: partner }) => (partner === null ? provider : `${provider}, ${partner}`),
    },
    { title: 'Direction', cell: ({ direction }) => direction },
    {
      title: 'Landing path',
      cell: ({ landing_path: path }) => (path === null ? 'none' : <code>{path}</code>),
    },
    { title: 'Session', cell: ({ session_id: id }) => (id === null ? 'none' : <code>{id}</code>) },
    { title: 'Touch id', cell: ({ touch_id: id }) => <code>{id}</code> },
  ];
}
