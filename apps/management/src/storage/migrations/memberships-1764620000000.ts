import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Who was a member before people had to say yes stays one, and so does whom the version before this one adds. */
const COLUMN_SQL = `
  alter table members
    add column if not exists membership text not null default 'accepted'
      check (membership in ('invited', 'accepted'))`;

/** Whoever accepts an invitation by e-mail is known by subject from then on. */
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

  /** Migrations only go forward: going back would make members of people who were only invited. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
