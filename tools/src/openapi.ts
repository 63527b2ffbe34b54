import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

// `npm run openapi`: the document of the routes and classes, and the Node client's types of the document.
for (const script of ['apps/gateway/dist/write-openapi.js', 'libs/node-sdk/generate-types.mjs']) {
  execFileSync(NODE_BINARY, [join(REPOSITORY_ROOT, script)], { stdio: 'inherit' });
}
