import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * What each campaign occupies in every gateway, and the sum per workspace, kept by a trigger, so that neither a
 * write nor an erasure can forget it. Sums over all campaigns would read the whole table for each activation.
 * Campaigns of before count by their content.
 */
const HELD_SQL = `
  alter table campaigns add column if not exists held_bytes integer not null default 1280;
  update campaigns set held_bytes =
    case status when 'active' then 1280 + octet_length(content::text) + 2 * octet_length(coalesce(targeting::text, ''))
    else 256 end;
  create table if not exists held_campaigns (workspace_id uuid primary key, bytes bigint not null);
  insert into held_campaigns (workspace_id, bytes)
    select workspace_id, sum(held_bytes) from campaigns group by workspace_id
    on conflict do nothing;

  create or replace function count_held_campaigns() returns trigger language plpgsql as $$
  begin
    insert into {schema}.held_campaigns as held (workspace_id, bytes)
      values (coalesce(new.workspace_id, old.workspace_id),
              coalesce(new.held_bytes, 0) - coalesce(old.held_bytes, 0))
      on conflict (workspace_id) do update set bytes = held.bytes + excluded.bytes;
    return null;
  end $$;
  drop trigger if exists held_campaigns on campaigns;
  create trigger held_campaigns after insert or delete or update of held_bytes on campaigns
    for each row execute function count_held_campaigns();
  revoke execute on function count_held_campaigns() from public`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update on held_campaigns to %I', role);
    execute format('grant execute on function count_held_campaigns() to %I', role);
  end $$`;

export class HeldCampaigns1764650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query('select quote_ident(current_schema()) as schema');
    const [{ schema }] = rows as [{ schema: string }];
    await runner.query(HELD_SQL.replaceAll('{schema}', schema));
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
