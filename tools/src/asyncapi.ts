import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';
import { Document, isScalar, visit } from 'yaml';
import { describeFacts, FACTS_FILE, readFactsDocument } from './asyncapi/describe-facts.js';

/** Of a list of words. */
const MOST_IN_LINE = 4;

const document = new Document(describeFacts(readFactsDocument()), {
  aliasDuplicateObjects: false,
  compat: 'yaml-1.1',
});
visit(document, {
  Seq: (_, list) => {
    list.flow = list.items.length <= MOST_IN_LINE && list.items.every((item) => isScalar(item));
  },
});
// `npm run asyncapi`: a test compares the file with the declarations of facts.
writeFileSync(FACTS_FILE, document.toString({ lineWidth: 0 }));
const prettier = join(REPOSITORY_ROOT, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
execFileSync(NODE_BINARY, [prettier, '--log-level', 'warn', '--write', FACTS_FILE], { stdio: 'inherit' });
