import {
  ERASED_SITES_SQL,
  guardErased,
  INBOX_TABLE_SQL,
  OUTBOX_TABLE_SQL,
  runSql,
} from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ITEM_MEASURES, LEVELS, TOTAL_MEASURES } from '../../domain/report-changes.js';
import { ERASURE_SQL } from './tables/erasures.js';

/** Clicks, settlements and the sums of reports. See docs/decisions/publisher.md. */
export class CreatePublisher1795363200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [OUTBOX_TABLE_SQL, INBOX_TABLE_SQL, ERASED_SITES_SQL]);
    await runSql(runner, [CLICKS, PARKED, SETTLEMENTS, REPORTS, PULLS, STEPS]);
    await runSql(runner, [APPEND_ONLY, HISTORY, ERASURE_SQL, GRANTS]);
    // Late clicks and pulls add no rows of an erased site. A rotation of keys does not reseal its references: an update
    // moves a row, and the erasure, which goes by the order of the disk, would miss it. See docs/decisions/jobs.md.
    await guardErased(runner, [
      { table: 'click_references', on: 'update' },
      { table: 'site_calendars', on: 'insert' },
      { table: 'pull_states', on: 'insert' },
      { table: 'reference_renamings', on: 'insert' },
      { table: 'outbox_set_aside', on: 'insert' },
    ]);
  }

  /** Migrations only go forward: going back would lose received data. */
  down(): Promise<void> {
    return Promise.reject(new Error('What was told is never dropped by a migration.'));
  }
}

/**
 * The reference is separate from the fact: readers of clicks never see one (interface page, section 8). `counted_at` is its click's
 * `received_at` once both are there and it is no bot's: the first one of a reference is found by the index, however many repeat it.
 * An erased person's has a random `hash` and no `sealed`: it joins the clicks and settlements that it joined, and names nothing.
 */
const CLICKS = `
  create table clicks (
    event_id uuid primary key,
    site_id uuid not null,
    provider text not null,
    occurred_at timestamptz not null,
    received_at timestamptz not null,
    is_bot boolean not null,
    partner_id text,
    campaign_id text,
    content_id text,
    placement_id text,
    creative_id text,
    destination_host text not null,
    destination_path text not null
  );

  create table click_references (
    event_id uuid primary key,
    site_id uuid not null,
    hash bytea not null,
    key_id text,
    sealed bytea,
    counted_at timestamptz
  );
  create index click_references_hash on click_references (hash, counted_at, event_id);
  create index click_references_key_id on click_references (key_id, event_id)`;

/**
 * Facts of clicks whose site another transaction has: each is a click, or a reference, and waits in the order of its site. And the
 * references of erased people that are being renamed, some rows at a time: meanwhile their site is as if a transaction had it.
 */
const PARKED = `
  create table parked_clicks (
    id bigint generated always as identity primary key,
    site_id uuid not null,
    event_id uuid not null,
    click json,
    hash bytea,
    key_id text,
    sealed bytea
  );
  create index parked_clicks_site on parked_clicks (site_id, id);
  create index parked_clicks_event on parked_clicks (event_id);

  create table reference_renamings (
    hash bytea not null,
    provider text not null,
    nameless bytea not null,
    site_id uuid not null,
    past_at timestamptz not null default '-infinity',
    past_id uuid not null default '00000000-0000-0000-0000-000000000000',
    primary key (hash, provider)
  );
  create index reference_renamings_site on reference_renamings (site_id)`;

const STATE_COLUMNS = `
    order_reference text,
    reference_hash bytea,
    status text not null check (status in ('pending', 'approved', 'declined', 'reversed')),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    commissionable bigint not null check (commissionable >= 0),
    commission bigint not null check (commission >= 0),
    transaction_at timestamptz not null,
    updated_at timestamptz not null,
    recorded_at timestamptz(3) not null`;

const SETTLEMENTS = `
  create table settlements (
    settlement_id uuid primary key,
    site_id uuid not null,
    provider text not null,
    provider_transaction_id text not null,
    ${STATE_COLUMNS}
  );
  create index settlements_page on settlements (site_id, provider, transaction_at desc, settlement_id desc);
  create index settlements_reference on settlements (reference_hash) where reference_hash is not null;

  create table settlement_states (
    settlement_id uuid not null,
    ${STATE_COLUMNS},
    primary key (settlement_id, updated_at)
  );
  create index settlement_states_reference on settlement_states (reference_hash) where reference_hash is not null`;

const SUM = 'numeric(38, 0) not null default 0';
const PLACE = `
    site_id uuid not null,
    level text not null check (level in (${LEVELS.map((level) => `'${level}'`).join(', ')})),
    start date not null,
    currency text not null`;

const REPORTS = `
  create table site_calendars (site_id uuid primary key, timezone text not null);

  create table report_totals (
    ${PLACE},
    ${TOTAL_MEASURES.map((measure) => `${measure} ${SUM}`).join(',\n    ')},
    primary key (site_id, level, start, currency)
  ) with (fillfactor = 70);

  create table report_items (
    ${PLACE},
    kind text not null check (kind in ('content', 'destination')),
    item_id uuid not null,
    ${ITEM_MEASURES.map((measure) => `${measure} ${SUM}`).join(',\n    ')},
    primary key (site_id, kind, level, start, item_id, currency)
  ) with (fillfactor = 80);

  create table report_names (
    item_id uuid primary key,
    site_id uuid not null,
    name text not null
  );
  create index report_names_site on report_names (site_id)`;

/**
 * Of pulls, `version` is that of the settings with which all was asked until `synced_through`; `parts` counts the parts of answers that
 * were stored: one that was asked for earlier is not stored later.
 */
const PULLS = `
  create table pull_states (
    integration_id uuid primary key,
    site_id uuid not null,
    synced_through timestamptz,
    version integer,
    calls timestamptz[] not null default '{}',
    parts bigint not null default 0
  );
  create index pull_states_site on pull_states (site_id)`;

/** How often a job's step was begun. */
const STEPS = `
  create table step_attempts (
    name text primary key,
    attempts integer not null,
    begun_at timestamptz not null default clock_timestamp()
  );
  create index step_attempts_begun_at on step_attempts (begun_at)`;

/**
 * Triggers refuse changes by any role, including the owner, with one exception: data of an erased site may be
 * deleted. Of a reference the sealed value and its key's name may be replaced, for key rotation; all of it when its person is erased.
 */
const APPEND_ONLY = `
  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
  end $$;
  create function refuse_unless_erased() returns trigger language plpgsql as $$
  declare
    owning_site uuid;
  begin
    if tg_table_name = 'settlement_states' then
      select site_id into owning_site from {schema}.settlements where settlement_id = old.settlement_id;
    else
      owning_site := old.site_id;
    end if;
    if not exists (select from {schema}.erased_sites where site_id = owning_site) then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return old;
  end $$;
  create function refuse_unless_person_erased() returns trigger language plpgsql as $$
  declare
    reference constant text[] := array['hash', 'key_id', 'sealed', 'reference_hash'];
  begin
    if current_setting('truetally.erases_person', true) = 'yes'
        and to_jsonb(new) - reference = to_jsonb(old) - reference then
      return new;
    end if;
    raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
  end $$;
  ${refusing('clicks', 'update or truncate')};
  ${['click_references', 'settlements', 'settlement_states'].map((table) => refusing(table, 'truncate')).join(';')};
  ${renamingTrigger('click_references', 'update of event_id, site_id, hash')};
  ${renamingTrigger('settlement_states', 'update')};
  ${['clicks', 'click_references', 'settlements', 'settlement_states'].map(deletionTrigger).join(';')}`;

function refusing(table: string, events: string): string {
  return `create trigger append_only before ${events} on ${table} for each statement execute function refuse_change()`;
}

function deletionTrigger(table: string): string {
  return `create trigger append_only_until_erased before delete on ${table}
    for each row execute function refuse_unless_erased()`;
}

function renamingTrigger(table: string, events: string): string {
  return `create trigger append_only_until_person_erased before ${events} on ${table}
    for each row execute function refuse_unless_person_erased()`;
}

const STATE = `settlement_id, order_reference, reference_hash, status, currency, commissionable, commission,
    transaction_at, updated_at, recorded_at`;

/**
 * A settlement's current state is written once, in `settlements`; a trigger adds it to the history when a newer one
 * replaces it. No update can therefore lose a state, and a new settlement costs one row.
 */
const HISTORY = `
  create function keep_former_states() returns trigger language plpgsql as $$
  begin
    insert into {schema}.settlement_states (${STATE}) select ${STATE} from former
      where current_setting('truetally.erases_person', true) is distinct from 'yes' on conflict do nothing;
    return null;
  end $$;
  create trigger former_states after update on settlements referencing old table as former
    for each statement execute function keep_former_states();
  create trigger newer_states_only before update on settlements
    for each row when (new.updated_at <= old.updated_at) execute function refuse_unless_person_erased()`;

/** Only the privileges that the service uses. */
const GRANTS = `
  revoke execute on function refuse_change(), refuse_unless_erased(), refuse_unless_person_erased(),
    keep_former_states(), erase_blocks(uuid, bigint, bigint), erase_settlements(uuid, integer),
    begin_reference_erasure(uuid, uuid[]), erase_some_references(uuid, integer) from public;
  grant execute on function erase_blocks(uuid, bigint, bigint), erase_settlements(uuid, integer),
    begin_reference_erasure(uuid, uuid[]), erase_some_references(uuid, integer) to {role};
  grant select, insert on clicks, click_references, settlement_states, report_names to {role};
  grant update (key_id, sealed, counted_at) on click_references to {role};
  grant select, insert, update on settlements to {role};
  grant select, insert, update, delete on site_calendars, report_totals, report_items, pull_states,
    step_attempts to {role};
  grant select, insert, delete on parked_clicks to {role};
  grant select, delete on reference_renamings to {role};
  grant delete on report_names to {role};
  grant select, insert, delete on outbox, inbox to {role}`;
