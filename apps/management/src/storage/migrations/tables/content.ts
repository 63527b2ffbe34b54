/**
 * A merchant's content is stored as it is answered; nothing searches inside it. Lists of campaigns within a site have
 * indexes, newest first, also with a selective filter. Active campaigns are counted at each activation, beside any
 * number of archived ones. What each campaign occupies in every gateway is summed per workspace by a trigger, so that
 * neither a write nor an erasure can forget it; a sum over all campaigns would read the whole table for each activation.
 */
export const CAMPAIGNS_SQL = `
  create table campaigns (
    campaign_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    type text not null check (type in ('overlay', 'recommendation', 'chatbot')),
    name text not null,
    status text not null check (status in ('draft', 'active', 'paused', 'archived')),
    schedule json,
    targeting json,
    content json not null,
    held_bytes integer not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  );
  create index campaigns_of_site on campaigns (site_id, created_at desc, campaign_id desc);
  create index active_campaigns_of_site on campaigns (site_id) where status = 'active';
  create index campaigns_by_status on campaigns (site_id, status desc, created_at desc, campaign_id desc);
  create index campaigns_by_type on campaigns (site_id, type desc, created_at desc, campaign_id desc);
  create index campaigns_by_status_and_type
    on campaigns (site_id, status desc, type desc, created_at desc, campaign_id desc);

  create table held_campaigns (workspace_id uuid primary key, bytes bigint not null);
  create function count_held_campaigns() returns trigger language plpgsql as $$
  begin
    insert into {schema}.held_campaigns as held (workspace_id, bytes)
      values (coalesce(new.workspace_id, old.workspace_id),
              coalesce(new.held_bytes, 0) - coalesce(old.held_bytes, 0))
      on conflict (workspace_id) do update set bytes = held.bytes + excluded.bytes;
    return null;
  end $$;
  create trigger held_campaigns after insert or delete or update of held_bytes on campaigns
    for each row execute function count_held_campaigns();`;

/**
 * Several rows, also of several workspaces, may refer to one picture: a file is named by its content. Checked are
 * files that may have lost their last row, or never had one: recorded before a file is stored and whenever a
 * row is deleted, so that no crash leaves an unreferenced file (docs/decisions/media.md).
 */
export const MEDIA_SQL = `
  create table media (
    media_id uuid primary key,
    workspace_id uuid not null references workspaces,
    file text not null,
    content_type text not null,
    width integer not null check (width > 0),
    height integer not null check (height > 0),
    bytes integer not null check (bytes > 0),
    version integer not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index media_of_workspace on media (workspace_id, created_at desc, media_id desc);
  create index media_of_file on media (file);

  create table media_file_checks (
    file text primary key,
    check_at timestamptz not null
  );
  create index media_file_checks_check_at on media_file_checks (check_at)`;

/**
 * `product_id` is the merchant's, compared byte by byte. A price is stored as it is answered, with its
 * currency's decimals; attributes are stored as the original text, because `jsonb` would respell numbers.
 */
export const PRODUCTS_SQL = `
  create table products (
    id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    product_id text collate "C" not null,
    title text not null,
    url text,
    image_url text,
    price numeric check (price >= 0),
    currency text,
    availability text not null check (availability in ('in_stock', 'out_of_stock', 'preorder', 'discontinued')),
    attributes json not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id),
    unique (site_id, product_id),
    check ((price is null) = (currency is null))
  ) with (fillfactor = 90);
  create index products_of_site on products (site_id, created_at desc, id desc);
  create index products_by_availability on products (site_id, availability desc, created_at desc, id desc)`;

/**
 * Credentials are sealed by the gateway: only the keyring opens them, which this service does not have. An index
 * serves a rotation of keys. Messages of workers are accepted once.
 */
export const INTEGRATIONS_SQL = `
  create table integrations (
    id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    provider text not null check (provider in ('awin', 'cj', 'product_feed')),
    base_url text,
    status text not null check (status in ('pending', 'connected', 'failing')),
    last_sync_at timestamptz(3),
    last_error text,
    next_pull_at timestamptz not null default clock_timestamp(),
    failures smallint not null default 0,
    key_id text not null,
    sealed bytea not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  );
  create index integrations_of_site on integrations (site_id, created_at desc, id desc);
  create index integrations_by_key on integrations (key_id, id);
  create index integrations_next_pull_at on integrations (next_pull_at);

  create table worker_messages (
    message_id text primary key,
    received_at timestamptz not null default clock_timestamp()
  );
  create index worker_messages_received_at on worker_messages (received_at)`;

/**
 * `feeds`: of each product feed the reading that is under way, and what its server said of the one before that came to its
 * end (`etag`, `last_modified`), which holds for the settings of that version of the integration. `feed_items`: which products a
 * feed has named, and in which reading last. Neither refers to `integrations`: a feed may have named a million products, which
 * are forgotten piece by piece after it.
 */
export const FEEDS_SQL = `
  create table feeds (
    integration_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    job_id uuid not null,
    run_id uuid not null,
    run_version integer not null,
    sequence integer not null default 0,
    is_read boolean not null default false,
    run_etag text,
    run_last_modified text,
    etag text,
    last_modified text,
    validated_version integer
  );
  create index feeds_of_site on feeds (site_id);

  create table feed_items (
    site_id uuid not null,
    product_id text collate "C" not null,
    integration_id uuid not null,
    run_id uuid not null,
    row_number integer not null,
    primary key (site_id, product_id, integration_id)
  ) with (fillfactor = 70)`;

/** A media file is deleted under a row lock, which requires the update privilege on a column. */
export const CONTENT_GRANTS_SQL = `
  revoke execute on function count_held_campaigns() from public;
  grant execute on function count_held_campaigns() to {role};
  grant select, insert, update, delete on campaigns, products, integrations, feeds, feed_items, media_file_checks to {role};
  grant select, insert, update on held_campaigns to {role};
  grant select, insert, update (version), delete on media to {role};
  grant select, insert, delete on worker_messages to {role}`;
