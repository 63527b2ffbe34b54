import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { declaredRoutes } from './application.js';
import { buildDocument } from './describe-api/build-document.js';

/** `npm run openapi`: writes docs/openapi.json, which a test compares with the routes. */
const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);

writeFileSync(DOCUMENT, `${JSON.stringify(buildDocument(declaredRoutes()), null, 1)}\n`);
