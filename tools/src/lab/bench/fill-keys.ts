import type pg from 'pg';

/** Closed partitions of the window. */
export const DAYS = 30;
/** As full as the pages of a tree that is filled at random. */
const FILLFACTOR = 70;

/** Where keys can be found, each with its place in the log of events. */
export const dayTable = (day: number): string => `day_${day}`;
export const GENERATION = 'generation';
const COLUMNS = '(event_id uuid not null, place bigint not null)';

/** A table of keys for each day, in one transaction each, so that nothing is logged. */
export async function fillDays(client: pg.Client, keys: number): Promise<void> {
  for (let day = 0; day < DAYS; day += 1) {
    const text = `select md5('${day}:' || n)::uuid, n from generate_series(1, ${Math.floor(keys / DAYS)}) n`;
    await fill(client, dayTable(day), [text]);
  }
}

/** All of them in one table; days go as they have been read, since not every disk holds both. */
export async function fillGeneration(client: pg.Client): Promise<void> {
  const days = Array.from({ length: DAYS }, (_, day) => dayTable(day));
  await fill(
    client,
    GENERATION,
    days.map((name) => `select event_id, place from ${name}`),
    days,
  );
}

async function fill(
  client: pg.Client,
  name: string,
  sources: readonly string[],
  spent: readonly string[] = [],
): Promise<void> {
  await client.query('begin');
  await client.query(`create table ${name} ${COLUMNS}`);
  for (const source of sources) await client.query(`insert into ${name} ${source}`);
  await client.query('commit');
  for (const table of spent) await client.query(`drop table ${table}`);
  await client.query(
    `create unique index ${name}_key on ${name} (event_id) with (fillfactor = ${FILLFACTOR})`,
  );
  await client.query(`vacuum (freeze) ${name}`);
}
