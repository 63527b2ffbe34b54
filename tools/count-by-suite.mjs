import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';

const VARIABLE = 'TRUETALLY_STARTS_FILE';
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

// Before each suite: what it starts, and what that starts, is counted as its own (libs/processes, starts.ts).
const file = process.env[VARIABLE];
if (file !== undefined) {
  const suite = relative(ROOT, expect.getState().testPath).replaceAll('/', '+');
  process.env[VARIABLE] = join(dirname(file), suite);
}
