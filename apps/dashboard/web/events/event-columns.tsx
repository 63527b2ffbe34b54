import type { EventResource } from '@truetally/node';
import { useState } from 'react';
import { wordsOf } from '../domain/event-types.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';

export function columnsFor(zone: string): readonly Column<EventResource>[] {
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
  // A thousand rows are shown faster without what nobody has opened.
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {count} {count === 1 ? 'property' : 'properties'}
      </summary>
      {isOpen && <Content event={event} zone={zone} />}
    </details>
  );
}

function Content({ event, zone }: { readonly event: EventResource; readonly zone: string }) {
  const ids = [
    ['Event id', event.event_id],
    ['Client event id', event.client_event_id],
    ['Request id', event.request_id],
    ['User id', event.user_id],
  ] as const;
  return (
    <>
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
    </>
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
