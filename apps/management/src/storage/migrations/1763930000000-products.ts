import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * `product_id` is the merchant's, compared byte by byte. A price is stored as it is answered, with its
 * currency's decimals; attributes are stored as the original text, because `jsonb` would respell numbers.
 */
const TABLE_SQL = `
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
  ) with (fillfactor = 90)`;

/** Indexes for lists, newest first within a site: all products, and those of one availability. */
const LISTS_SQL = `
  create index products_of_site on products (site_id, created_at desc, id desc);
  create index products_by_availability on products (site_id, availability desc, created_at desc, id desc)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update, delete on products to %I', role);
  end $$`;

export class Products1763930000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE_SQL);
    await runner.query(LISTS_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
