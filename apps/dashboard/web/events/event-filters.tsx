import type { EventSearch } from '../domain/event-search.js';
import { EVENT_TYPES, wordsOf } from '../domain/event-types.js';
import { Field } from '../elements/field.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';

const IDS = {
  session_id: 'Session',
  client_event_id: 'Client event id',
  request_id: 'Request id',
} as const;

type EventFilter = { readonly [name in keyof EventSearch]-?: EventSearch[name] | undefined };

/** What of an address narrows events. */
export function filtersOf(search: EventSearch): EventFilter {
  return {
    event_type: search.event_type,
    session_id: search.session_id,
    client_event_id: search.client_event_id,
    request_id: search.request_id,
  };
}

export function EventFilters({ values }: { readonly values: EventFilter }) {
  return (
    <Filters values={values}>
      <Field label="Type">
        <select name="event_type" defaultValue={values.event_type ?? ''}>
          <Options of={EVENT_TYPES} words={wordsOf} none="all" />
        </select>
      </Field>
      {Object.entries(IDS).map(([name, title]) => (
        <Field key={name} label={title}>
          <input
            name={name}
            defaultValue={values[name as keyof typeof IDS] ?? ''}
            autoComplete="off"
            maxLength={128}
          />
        </Field>
      ))}
    </Filters>
  );
}
