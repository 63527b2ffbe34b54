import type { QueryRunner } from 'typeorm';

/**
 * Runs a migration's statements in order. `{schema}` and `{role}` stand for the migrated schema and the service's
 * role, as quoted identifiers.
 */
export async function runSql(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  const rows: unknown = await runner.query(
    `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
  );
  const { schema, role } = (rows as [{ schema: string; role: string }])[0];
  for (const statement of statements) {
    await runner.query(statement.replaceAll('{schema}', schema).replaceAll('{role}', role));
  }
}
