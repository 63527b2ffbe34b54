// Makes `src/generated/types.gen.ts` of the API document: `npm run openapi` runs it after writing the document. An argument
// names another folder, for the test that compares both.
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const here = import.meta.dirname;
const [path = join(here, 'src', 'generated')] = process.argv.slice(2);

await createClient({
  input: join(here, '..', '..', 'docs', 'openapi.json'),
  output: { path, entryFile: false, postProcess: [] },
  plugins: ['@hey-api/typescript'],
  logs: { level: 'silent', file: false },
});
