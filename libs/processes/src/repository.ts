import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout: this file is three folders below it, in `src` and in `dist` alike. */
export const REPOSITORY_ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** Node 24, independent of the Node that runs npm. */
export const NODE_BINARY = join(REPOSITORY_ROOT, 'node_modules', '.bin', 'node');
