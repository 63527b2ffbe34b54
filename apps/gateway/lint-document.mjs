// Says what is wrong with docs/openapi.json: `npm run openapi:lint`, a part of `npm run check`.
import '../../tools/takes-no-arguments.mjs';
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'operation-tag-defined': 'error',
    'operation-singular-tag': 'error',
    'operation-description': 'error',
    'operation-operationId': 'error',
    'operation-parameters-unique': 'error',
    'no-unused-components': 'error',
    'path-not-include-query': 'error',
    // Tests hold each answer to its schema without unknown fields; the linter would close the parts of a choice, too.
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    'paths-kebab-case': 'off',
    // `integrations/jobs/{type}` and `integrations/{id}/settlements` share an address in form alone: an id is a UUID.
    'no-ambiguous-paths': 'off',
  },
});
const problems = await lint({ ref: DOCUMENT, config });
for (const { severity, ruleId, message, location } of problems) {
  console.error(`${severity} ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`);
}
if (problems.length > 0) process.exit(1);
console.log('docs/openapi.json breaks no rule of the linter.');
