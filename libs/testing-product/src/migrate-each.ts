import { pathToFileURL } from 'node:url';
import type { Migration } from './migrate-product.js';

/**
 * The migration programs of several services, in sequence in one process: loading them costs more than
 * running them. Each reads its environment when it is imported.
 */
const migrations = JSON.parse(process.env['MIGRATIONS'] ?? '[]') as readonly Migration[];
for (const { program, environment } of migrations) {
  Object.assign(process.env, environment);
  await import(pathToFileURL(program).href);
}
