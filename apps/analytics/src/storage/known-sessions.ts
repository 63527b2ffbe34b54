import { uuidArray } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { type EventColumns, keysAt } from '../domain/event-columns.js';
import { QUARTERS_PER_DAY } from '../domain/quarters.js';
import type { SeenSession } from '../domain/seen-sessions.js';

/** A quarter of an hour in which a session is known to be seen. */
export interface KnownQuarter {
  readonly quarter: number;
  /** Entries of the day's basket that are kept here, as `entryText` writes them. */
  readonly basket: readonly string[] | null;
  /** Whether it is in the sums of sessions. */
  readonly isCounted: boolean;
}

/**
 * What is known of a session by its place in their list around a day: each quarter of that day, the counted one before, and the one after.
 */
export type KnownSessions = (place: number, day: number) => readonly KnownQuarter[];

/** Most sessions have no more, so that one look-up tells all. */
const NEWEST = 4;
const NEWEST_QUARTERS = `
  select asked.place::integer as place, newest.quarter, newest.basket, newest.is_counted as "isCounted"
  from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (site_id, session_key, place)
  cross join lateral (select quarter, basket, is_counted from session_quarters known
    where known.site_id = asked.site_id and known.session_key = asked.session_key
    order by quarter desc limit ${NEWEST}) newest`;
const OF_SESSION = 'known.site_id = asked.site_id and known.session_key = asked.session_key';
/** Around days before the newest ones. */
const QUARTERS_AROUND = `
  select asked.place::integer as place, around.quarter, around.basket, around.is_counted as "isCounted"
  from unnest($1::uuid[], $2::uuid[], $3::integer[]) with ordinality as asked (site_id, session_key, first, place)
  cross join lateral (
    (select quarter, basket, is_counted from session_quarters known
      where ${OF_SESSION} and known.quarter < asked.first and is_counted order by quarter desc limit 1)
    union all
    (select quarter, basket, is_counted from session_quarters known
      where ${OF_SESSION} and known.quarter >= asked.first and known.quarter < asked.first + ${QUARTERS_PER_DAY})
    union all
    (select quarter, basket, is_counted from session_quarters known
      where ${OF_SESSION} and known.quarter >= asked.first + ${QUARTERS_PER_DAY} and is_counted order by quarter limit 1)
  ) around`;

interface KnownRow extends KnownQuarter {
  /** Of what was asked, from 1. */
  readonly place: number;
}

/** Reads what a fold needs to know of sessions, whose sites are locked. */
export async function readKnown(
  client: ClientBase,
  events: EventColumns,
  sessions: readonly SeenSession[],
): Promise<KnownSessions> {
  const { rows } = await client.query<KnownRow>({
    name: 'newest-quarters',
    text: NEWEST_QUARTERS,
    values: keysOf(events, sessions),
  });
  if (rows.length === 0) return () => [];
  const newest = Map.groupBy(rows, ({ place }) => place - 1);
  const around = await readAround(
    client,
    events,
    [...newest].flatMap(([place, found]) => {
      const session = sessions[place];
      return session === undefined ? [] : daysBefore(session, found).map((day) => ({ place, session, day }));
    }),
  );
  return (place, day) => around.get(`${place} ${day}`) ?? newest.get(place) ?? [];
}

interface AskedDay {
  readonly place: number;
  readonly session: SeenSession;
  readonly day: number;
}

/** Days of which the newest quarters of a session do not tell everything: a counted one may be behind others. */
function daysBefore(session: SeenSession, found: readonly KnownRow[]): readonly number[] {
  const oldest = found.at(-1)?.quarter;
  if (found.length < NEWEST || oldest === undefined) return [];
  const isMixed = found.some(({ isCounted }) => !isCounted);
  return session.days.map(({ day }) => day).filter((day) => isMixed || day * QUARTERS_PER_DAY <= oldest);
}

async function readAround(
  client: ClientBase,
  events: EventColumns,
  asked: readonly AskedDay[],
): Promise<ReadonlyMap<string, readonly KnownQuarter[]>> {
  if (asked.length === 0) return new Map();
  const firsts = asked.map(({ day }) => day * QUARTERS_PER_DAY);
  const { rows } = await client.query<KnownRow>({
    name: 'quarters-around',
    text: QUARTERS_AROUND,
    values: [
      ...keysOf(
        events,
        asked.map(({ session }) => session),
      ),
      firsts,
    ],
  });
  const found = Map.groupBy(rows, ({ place }) => place - 1);
  return new Map(asked.map(({ place, day }, index) => [`${place} ${day}`, found.get(index) ?? []]));
}

function keysOf(events: EventColumns, sessions: readonly SeenSession[]): [Buffer, Buffer] {
  const places = sessions.map(({ place }) => place);
  return [
    uuidArray(places.map((place) => events.sites.at(place))),
    uuidArray(keysAt(events.sessionKeys, places)),
  ];
}
