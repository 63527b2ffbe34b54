import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';

const FOLDER = join('tools', 'clickhouse-engine');
const SPECS = '{apps,libs,tools}/*/src/**/*.clickhouse-spec.ts';

/** Where ClickHouse's engine is installed; undefined where it is not: it is large. */
export function findEngine(root: string = REPOSITORY_ROOT): string | undefined {
  const engine = join(root, FOLDER, 'node_modules', 'chdb');
  return existsSync(engine) ? engine : undefined;
}

/** What to say, first and last, of a run without ClickHouse's engine. */
export function withoutEngine(): string {
  const files = globSync(SPECS, { cwd: REPOSITORY_ROOT }).length;
  return `ClickHouse tests did not run: ${files} files, no engine found; install it (540 MB) with "npm install --prefix ${FOLDER}"`;
}
