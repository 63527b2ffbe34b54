import { useSearch } from '@tanstack/react-router';
import type { EventResource, SiteResource } from '@truetally/node';
import { EVENT_TYPES, wordsOf } from '../domain/event-types.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';

export function EventsScreen() {
  return <SiteScreen title="Events">{(site) => <Events site={site} />}</SiteScreen>;
}

const IDS = {
  session_id: 'Session',
  client_event_id: 'Client event id',
  request_id: 'Request id',
} as const;

function Events({ site }: { readonly site: SiteResource }) {
  const search = useSearch({ from: '/w/$workspaceId/events' });
  const filters = {
    event_type: search.event_type,
    session_id: search.session_id,
    client_event_id: search.client_event_id,
    request_id: search.request_id,
  };
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  const events = useList<EventResource>('/analytics/events', { site_id: site.id, ...filters });
  return (
    <>
      <Filters values={filters}>
        <Field label="Type">
          <select name="event_type" defaultValue={filters.event_type ?? ''}>
            <option value="">all</option>
            {EVENT_TYPES.map((type) => (
              <option key={type} value={type}>
                {wordsOf(type)}
              </option>
            ))}
          </select>
        </Field>
        {Object.entries(IDS).map(([name, title]) => (
          <Field key={name} label={title}>
            <input
              name={name}
              defaultValue={filters[name as keyof typeof IDS] ?? ''}
              autoComplete="off"
              maxLength={128}
            />
          </Field>
        ))}
      </Filters>
      <List
        list={events}
        name="events"
        columns={columnsFor(site.timezone)}
        keyOf={({ event_id: id }) => id}
        empty={
          isNarrowed ? (
            <p>No stored event fits. A refused one is not stored: its answer named the field.</p>
          ) : (
            <p>No event yet. The line for the shop’s pages stands under Sites.</p>
          )
        }
      />
    </>
  );
}

function columnsFor(zone: string): readonly Column<EventResource>[] {
  return [
    { title: `Received (${zone})`, cell: ({ received_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Type',
      cell: ({ event_type: type, trust, is_bot: isBot }) => (
        <>
          {wordsOf(type)} <span className={style['badge']}>{trust}</span>{' '}
          {isBot && <span className={style['badge']}>bot</span>}
        </>
      ),
    },
    { title: 'Page', cell: ({ context }) => <span className={style['short']}>{pageOf(context)}</span> },
    { title: 'Session', cell: ({ session_id: id }) => <code>{id}</code> },
    { title: 'Properties', cell: (event) => <Details event={event} zone={zone} /> },
  ];
}

/** Everything that was sent, as text: it may be a stranger's. */
function Details({ event, zone }: { readonly event: EventResource; readonly zone: string }) {
  const count = Object.keys(event.properties).length;
  const ids = [
    ['Event id', event.event_id],
    ['Client event id', event.client_event_id],
    ['Request id', event.request_id],
    ['User id', event.user_id],
  ] as const;
  return (
    <details>
      <summary>
        {count} {count === 1 ? 'property' : 'properties'}
      </summary>
      <dl className={style['facts']}>
        <dt>Occurred</dt>
        <dd>
          <Instant at={event.occurred_at} zone={zone} />
        </dd>
        {ids.map(([title, id]) => (
          <Id key={title} title={title} id={id} />
        ))}
      </dl>
      <pre>
        <code>{JSON.stringify({ properties: event.properties, context: event.context }, null, 2)}</code>
      </pre>
    </details>
  );
}

function Id({ title, id }: { readonly title: string; readonly id: string | null }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{id === null ? 'none' : <code>{id}</code>}</dd>
    </>
  );
}

function pageOf({ page_url: url }: EventResource['context']): string {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : '';
}
