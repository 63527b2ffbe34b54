import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Existing members stay accepted, and so do those that the previous version adds. */
const COLUMN_SQL = `
  alter table members
    add column if not exists membership text not null default 'accepted'
      check (membership in ('invited', 'accepted'))`;

/** A person who accepts an invitation by e-mail is identified by subject from then on. */
const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant update (subject, email, membership) on members to %I', role);
  end $$`;

export class Memberships1764620000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would make invited people members. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
