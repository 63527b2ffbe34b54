import { useSearch } from '@tanstack/react-router';
import type { EventResource, SiteResource } from '@truetally/node';
import { useMemo } from 'react';
import { List } from '../layout/list.js';
import { ToFirstEvent } from '../layout/next-step.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { columnsFor } from './event-columns.js';
import { EventFilters, filtersOf } from './event-filters.js';

export function EventsScreen() {
  return <SiteScreen title="Events">{(site) => <Events site={site} />}</SiteScreen>;
}

function Events({ site }: { readonly site: SiteResource }) {
  const search = useSearch({ from: '/w/$workspaceId/events' });
  const filters = filtersOf(search);
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  const events = useList<EventResource>('/analytics/events', { site_id: site.id, ...filters });
  const columns = useMemo(() => columnsFor(site.timezone), [site.timezone]);
  return (
    <>
      <EventFilters values={filters} />
      <List
        list={events}
        name="events"
        columns={columns}
        keyOf={({ event_id: id }) => id}
        empty={
          isNarrowed ? (
            <p>No stored event fits. A refused one is not stored: its answer named the field.</p>
          ) : (
            <>
              <p>No event yet. The shop’s pages and its backend send them.</p>
              <ToFirstEvent />
            </>
          )
        }
      />
    </>
  );
}
