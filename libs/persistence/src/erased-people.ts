import type { ClientBase } from 'pg';
import { type ErasureReport, untilWritersEnded } from './erased-sites.js';
import { type AskedStep, stepOnce } from './inbox.js';

/**
 * For a migration of a service that stores what names people: nothing of a person in `erased_people` is written any
 * more. The table has no id of anybody, but a hash that is keyed by the site, and means nothing once the site's key is
 * erased. `{schema}` and `{role}` are placeholders.
 */
export const ERASED_PEOPLE_SQL = `
  create table person_keys (
    site_id uuid primary key,
    key bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
  );
  create table erased_people (
    site_id uuid not null,
    person_hash bytea not null,
    erased_at timestamptz not null default now(),
    primary key (site_id, person_hash)
  );

  create function hash_of_person(key bytea, person text) returns bytea
  language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
    select sha256(key || sha256(key || convert_to(person, 'UTF8'))) $$;

  create function is_erased_person(site uuid, person text) returns boolean
  language sql stable set search_path = {schema}, pg_temp as $$
    select exists (select from person_keys k join erased_people p using (site_id)
      where k.site_id = site and p.person_hash = hash_of_person(k.key, person)) $$;

  create function announce_person(site uuid, person text) returns void
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    insert into person_keys (site_id) values (site) on conflict do nothing;
    insert into erased_people (site_id, person_hash)
      select site, hash_of_person(key, person) from person_keys where site_id = site on conflict do nothing;
  end $$;

  revoke execute on function hash_of_person(bytea, text), is_erased_person(uuid, text),
    announce_person(uuid, text) from public;
  grant execute on function hash_of_person(bytea, text), is_erased_person(uuid, text),
    announce_person(uuid, text) to {role};
  grant select, delete on person_keys to {role};
  grant select on erased_people to {role}`;

/**
 * Besides, after `ERASURE_WITHOUT_WAITING_SQL`, where many transactions write for people at once: each calls this
 * before it looks at the table, so that an erasure can wait for those that began before it.
 */
export const PEOPLE_WRITERS_SQL = `
  create function has_erased_people() returns boolean
  language plpgsql volatile set search_path = {schema}, pg_temp as $$
  begin
    perform erasures_seen();
    return exists (select from erased_people);
  end $$;

  revoke execute on function has_erased_people() from public;
  grant execute on function has_erased_people() to {role}`;

/** A person of a site, by the id that the site's shop has for them. */
export interface Person {
  readonly siteId: string;
  readonly userId: string;
}

const ERASED = `
  select given.place::integer - 1 as place
  from unnest($1::uuid[], $2::text[]) with ordinality as given (site_id, person, place)
  join person_keys k on k.site_id = given.site_id
  join erased_people p on p.site_id = given.site_id and p.person_hash = hash_of_person(k.key, given.person)`;

/** The places of those of these people of whom nothing is stored any more. */
export async function erasedAmong(
  client: ClientBase,
  people: readonly Person[],
): Promise<ReadonlySet<number>> {
  if (people.length === 0) return new Set();
  const { rows } = await client.query<{ place: number }>({
    name: 'erased-people',
    text: ERASED,
    values: [people.map(({ siteId }) => siteId), people.map(({ userId }) => userId)],
  });
  return new Set(rows.map(({ place }) => place));
}

/** The cursor after the mark: transactions that began before it must end. */
const WRITERS = 'writers';

/**
 * One step of a person's erasure, as `eraseOnce` for a site: the first commits the mark, the second waits for the
 * transactions that may not have seen it, and then erases from the beginning.
 */
export function erasePersonOnce<R extends ErasureReport>(
  pool: Parameters<typeof stepOnce>[0],
  asked: AskedStep,
  { person, idle }: { readonly person: Person; readonly idle: R },
  step: (client: ClientBase, cursor: string | null) => Promise<R>,
): Promise<R> {
  return stepOnce(pool, asked, async (client) => {
    if (asked.cursor === null) {
      await client.query('select announce_person($1, $2)', [person.siteId, person.userId]);
      return { ...idle, cursor: WRITERS };
    }
    if (asked.cursor !== WRITERS) return step(client, asked.cursor);
    await untilWritersEnded(client);
    return step(client, null);
  });
}

/** Erases the key by which a deleted site's people are known: their hashes mean nothing from then on. */
export async function erasePersonKey(client: ClientBase, siteId: string): Promise<number> {
  const { rowCount } = await client.query('delete from person_keys where site_id = $1', [siteId]);
  return rowCount ?? 0;
}
