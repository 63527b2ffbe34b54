import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The counters behind the hourly limits, and the one function that moves them (docs/decisions/rate-limits.md). */
export class HourlyUsage1763600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE_SQL);
    await runner.query(CLOCK_SQL);
    await runner.query(CONSUME_SQL);
    await runner.query(PRUNE_SQL);
    await runner.query(GRANT_SQL);
  }

  /** Migrations go forward only. */
  async down(): Promise<void> {
    throw new Error('Migrations of this schema are not reverted.');
  }
}

/** Rows are updated in place all hour: free space on each page avoids index updates. */
const TABLE_SQL = `
  create table hourly_usage (
    subject text collate "C" not null,
    hour timestamptz not null,
    used bigint not null check (used >= 0),
    leased bigint not null default 0 check (leased >= 0),
    primary key (subject, hour)
  ) with (fillfactor = 50)`;

/** The common clock of all gateways; a function, so that a test can replace it. */
const CLOCK_SQL = `
  create function limit_clock() returns timestamptz language sql volatile
  as $$ select clock_timestamp() $$`;

/**
 * Admits consumptions in order: each as a whole or not at all, and a refused one leaves the rest for later
 * ones. Subjects are sorted and unique, \`costs\` contains the costs of all of them in sequence, and
 * \`counts\` the number of each. Rows are created before any is locked, and locked in sorted order, which
 * prevents deadlocks. A call that admits nothing writes nothing.
 * What a gateway takes in advance (its \`wish\`) is used at once, all of it or nothing, and nothing in the last
 * sixteenth of the limit. When it ends, its size leaves \`leased\`, the sum of what gateways hold, and what was not
 * used is free again; in a later hour it is of no account.
 */
const CONSUME_SQL = `
  create function consume(
    subjects text[], limits bigint[], counts integer[], costs integer[],
    wishes bigint[], ended bigint[], unused bigint[], hours bigint[]
  )
  returns table (
    used_before bigint, refused integer[], ends_at bigint, seconds_left double precision,
    leased_now bigint, others_lent boolean
  )
  language plpgsql as $$
  declare
    this_hour timestamptz := date_trunc('hour', limit_clock(), 'UTC');
    present integer;
    position integer := 0;
    used_now bigint;
    was record;
    lent bigint;
  begin
    select count(*) into present from hourly_usage u where u.subject = any(subjects) and u.hour = this_hour;
    if present < cardinality(subjects) then
      insert into hourly_usage (subject, hour, used)
      select s, this_hour, 0 from unnest(subjects) as s order by s collate "C"
      on conflict do nothing;
    end if;
    ends_at := extract(epoch from this_hour)::bigint + 3600;
    for i in 1 .. cardinality(subjects) loop
      select u.used, u.leased into strict was from hourly_usage u
      where u.subject = subjects[i] and u.hour = this_hour for update;
      used_before := was.used;
      lent := was.leased;
      if hours[i] = ends_at and ended[i] <= lent then
        used_before := used_before - unused[i];
        lent := lent - ended[i];
      end if;
      used_now := used_before;
      refused := '{}';
      for j in 1 .. counts[i] loop
        if used_now + costs[position + j] <= limits[i] then
          used_now := used_now + costs[position + j];
        else
          refused := refused || (j - 1);
        end if;
      end loop;
      position := position + counts[i];
      leased_now := 0;
      others_lent := lent > 0;
      if wishes[i] > 0 and used_now + wishes[i] <= limits[i] - limits[i] / 16 then
        leased_now := wishes[i];
      end if;
      if used_now + leased_now <> was.used or lent + leased_now <> was.leased then
        update hourly_usage u set used = used_now + leased_now, leased = lent + leased_now
        where u.subject = subjects[i] and u.hour = this_hour;
      end if;
      seconds_left := ends_at - extract(epoch from limit_clock());
      return next;
    end loop;
  end $$`;

/**
 * Hours in which no request can be counted any more; the last one stays for a call that crosses the boundary.
 */
const PRUNE_SQL = `
  create function forget_old_hours() returns bigint language plpgsql as $$
  declare
    forgotten bigint;
  begin
    delete from hourly_usage where hour < date_trunc('hour', limit_clock(), 'UTC') - interval '1 hour';
    get diagnostics forgotten = row_count;
    return forgotten;
  end $$`;

const GRANT_SQL = `
  do $$ begin
    execute format('grant select, insert, update, delete on hourly_usage to %I', current_setting('truetally.role'));
  end $$`;
