import { ERASED_SITES_SQL, INBOX_TABLE_SQL, INCARNATIONS_TABLE_SQL, runSql } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events without their content, the sums of their quarters of an hour, and revenue. See docs/decisions/analytics.md. */
export class CreateAnalytics1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [INBOX_TABLE_SQL, INCARNATIONS_TABLE_SQL, ERASED_SITES_SQL]);
    await runSql(runner, [BLOCKS, TOUCHES, SUMS, REVENUE, PRODUCTS, PROGRESS, GRANTS]);
  }

  /** Migrations only go forward: going back would lose received data. */
  down(): Promise<void> {
    return Promise.reject(new Error('What was told is never dropped by a migration.'));
  }
}

/**
 * The events of one fold and site are one row, and few entries of few indexes: rows of their own took half of what an event
 * cost Postgres (docs/decisions/analytics.md). Sessions and requests are keys of one length (`domain/keys.ts`): no name is
 * stored here. Lists of one length have the same event at the same place; `type_places` are those in the list of types, from 1.
 * The filter has the keys of sessions, requests and events (`domain/key-filter.ts`). Small blocks are merged, 32 of a level at
 * a time; one that is large enough has no level. Compressing what hardly gets shorter took a sixth of what an event cost Postgres here.
 * Each time that the table has grown by a tenth, Postgres would look at each element of its lists for statistics: `positions` tell how
 * long lists are, and nothing else of them is asked.
 */
const BLOCKS = `
  create table event_blocks (
    block_id bigint generated always as identity primary key,
    site_id uuid not null,
    is_bot boolean not null,
    level smallint,
    events integer not null,
    received_from timestamptz(3) not null,
    received_to timestamptz(3) not null,
    occurred_from timestamptz not null,
    occurred_to timestamptz not null,
    event_types text[] not null,
    filter bytea not null,
    event_ids uuid[] not null,
    session_keys uuid[] not null,
    request_keys uuid[] not null,
    type_places smallint[] not null,
    devices text[] not null,
    occurred_at timestamptz[] not null,
    received_at timestamptz[] not null,
    positions bigint[] not null
  );
  alter table event_blocks alter event_ids set storage external, alter session_keys set storage external,
    alter request_keys set storage external, alter occurred_at set storage external, alter positions set storage external,
    alter filter set storage external;
  alter table event_blocks alter filter set statistics 0, alter event_ids set statistics 0, alter session_keys set statistics 0,
    alter request_keys set statistics 0, alter type_places set statistics 0, alter devices set statistics 0,
    alter occurred_at set statistics 0, alter received_at set statistics 0;
  create index event_blocks_received_to on event_blocks (site_id, received_to, received_from);
  create index event_blocks_occurred_to on event_blocks (site_id, occurred_to, occurred_from);
  create index event_blocks_age on event_blocks (received_to);
  create index event_blocks_small on event_blocks (site_id, is_bot, level) where level is not null;

  create view events as
  select block.block_id, block.site_id, block.is_bot, block.received_from, block.received_to, block.occurred_from, block.occurred_to,
    one.event_id, one.session_key, one.request_key, block.event_types[one.type_place] as event_type, one.device,
    one.occurred_at, one.received_at::timestamptz(3) as received_at, one.position
  from event_blocks block, unnest(block.event_ids, block.session_keys, block.request_keys, block.type_places, block.devices,
    block.occurred_at, block.received_at, block.positions)
    as one (event_id, session_key, request_key, type_place, device, occurred_at, received_at, position)`;

/** What partners' touches say about sessions; one that names none still begins the days of its site. */
const TOUCHES = `
  create table touches (
    touch_key uuid primary key,
    site_id uuid not null,
    session_key uuid,
    provider text not null,
    partner_id text,
    occurred_at timestamptz not null
  );
  create index touches_occurred_at on touches (site_id, occurred_at);
  create index touches_session on touches (site_id, session_key, occurred_at, touch_key) where session_key is not null`;

/**
 * Quarters of an hour since 1970, which the days and hours of every time zone are made of. A basket is what its session did
 * with products for the first time on its day (`domain/basket.ts`): what a session adds to one moves no entry of an index.
 * Rows that are not counted hold a basket alone: where sessions are counted elsewhere, they are in no sum here.
 */
const SUMS = `
  create table event_sums (
    site_id uuid not null,
    quarter integer not null,
    event_type text not null,
    events bigint not null,
    primary key (site_id, quarter, event_type)
  ) with (fillfactor = 70);

  create table session_quarters (
    site_id uuid not null,
    session_key uuid not null,
    quarter integer not null,
    has_basket boolean not null default false,
    is_counted boolean not null default true,
    basket text[] collate "C",
    primary key (site_id, session_key, quarter)
  ) with (fillfactor = 85);
  create index session_quarters_baskets on session_quarters (quarter) where has_basket;

  create table session_spans (
    site_id uuid not null,
    quarter integer not null,
    previous integer not null,
    sessions bigint not null,
    primary key (site_id, quarter, previous)
  ) with (fillfactor = 70)`;

/**
 * Amounts are whole minor units. An order of the ledger is matched by its currency and id. An event that is sent again when
 * its deduplication is over is stored again under the same id, at another time: it is two events, here as elsewhere.
 */
const REVENUE = `
  create table purchases (
    event_id uuid not null,
    received_at timestamptz(3) not null,
    site_id uuid not null,
    occurred_at timestamptz not null,
    currency text not null,
    order_id text,
    amount numeric not null check (amount >= 0),
    is_from_server boolean not null,
    primary key (event_id, received_at)
  );
  create index purchases_occurred_at on purchases (site_id, occurred_at)
    include (currency, amount, is_from_server);
  create index purchases_order on purchases (site_id, currency, order_id, occurred_at, event_id);

  create table ledger_entries (
    record_id uuid primary key,
    site_id uuid not null,
    occurred_at timestamptz not null,
    currency text not null,
    order_id text not null,
    event_type text not null check (event_type in ('purchase', 'adjustment', 'cancellation')),
    revenue_delta numeric not null
  );
  create index ledger_entries_occurred_at on ledger_entries (site_id, occurred_at)
    include (currency, event_type, revenue_delta);
  create index ledger_entries_order on ledger_entries (site_id, currency, order_id) where event_type = 'purchase'`;

/**
 * What is recommended by what sessions did with products (docs/decisions/recommendations.md). The lists of
 * `product_neighbours` belong together place by place, heaviest first. A weight grows with each view, its class (a fifth
 * wide) hardly ever: so the index of classes need not be written with each. What a fold leaves for later is in `parked_baskets`, which
 * name no session.
 */
const PRODUCTS = `
  create table product_popularity (
    site_id uuid not null,
    product_id text collate "C" not null,
    weight double precision not null,
    first_day integer not null,
    last_day integer not null,
    weight_class integer generated always as (floor(4 * ln(weight) / ln(2::float8))::integer) stored,
    primary key (site_id, product_id)
  ) with (fillfactor = 70);
  create index product_popularity_weight on product_popularity (site_id, weight_class desc, product_id);
  create index product_popularity_last_day on product_popularity (last_day);

  create table product_neighbours (
    site_id uuid not null,
    kind text not null check (kind in ('purchase', 'view')),
    product_id text collate "C" not null,
    others text[] not null,
    weights double precision[] not null check (cardinality(weights) = cardinality(others)),
    primary key (site_id, kind, product_id)
  ) with (fillfactor = 70);
  alter table product_neighbours alter others set statistics 0, alter weights set statistics 0;

  create table parked_baskets (
    workspace_id uuid not null,
    site_id uuid not null,
    sequence bigint generated always as identity,
    parked_at timestamptz not null default clock_timestamp(),
    day integer not null,
    before text[] not null,
    added text[] not null,
    sessions integer not null,
    gains integer not null,
    primary key (site_id, sequence)
  );
  create index parked_baskets_turns on parked_baskets (workspace_id, site_id);
  create index parked_baskets_parked_at on parked_baskets (parked_at)`;

/** How far the facts of a partition are in the tables. */
const PROGRESS = `
  create table fact_progress (
    topic text not null,
    partition integer not null,
    read_until timestamptz(3) not null,
    primary key (topic, partition)
  ) with (fillfactor = 50)`;

/** Only the privileges that the service uses. A person's keys are replaced (docs/decisions/erasing-people.md). */
const GRANTS = `
  grant select on events to {role};
  grant update (session_keys, filter) on event_blocks to {role};
  grant update (session_key) on touches to {role};
  grant update (session_key, has_basket, is_counted, basket) on session_quarters to {role};
  grant select, insert, delete on event_blocks, touches, session_quarters, purchases, ledger_entries, parked_baskets to {role};
  grant select, insert, update, delete on event_sums, session_spans to {role};
  grant select, insert, update, delete on product_popularity, product_neighbours to {role};
  grant select, insert, update on fact_progress to {role};
  grant select, insert, delete on inbox to {role}`;
