import { ErrorEnvelope, Meta } from '@truetally/contracts/http';
import { SchemaCollection } from '@truetally/contracts/validation';
import type { RouteRules } from '../http/exchange.js';
import {
  COMPONENT_HEADERS,
  COMPONENT_PARAMETERS,
  refusalComponents,
  SECURITY_SCHEMES,
} from './components.js';
import { describeAreas } from './areas.js';
import { describeRoute } from './describe-route.js';

type Json = Readonly<Record<string, unknown>>;

const INFO = {
  title: 'Truetally',
  version: '1.0.0',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  description:
    'Made from the routes and classes of the gateway. Every success is `{ success: true, data, meta }`, every refusal an `ErrorEnvelope`. Formats such as `http-url` are narrower than their names: the service judges.',
};

/** OpenAPI 3.1 of all routes; independent of their order. */
export function buildDocument(routes: readonly RouteRules[]): Json {
  const schemas = new SchemaCollection('#/components/schemas/');
  schemas.refer(Meta);
  schemas.refer(ErrorEnvelope);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.toSorted(byPathAndMethod)) {
    const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, schemas) };
  }
  return portable({
    openapi: '3.1.0',
    info: INFO,
    // The host that serves the document.
    servers: [{ url: '/' }],
    tags: describeAreas(routes),
    paths,
    components: {
      schemas: schemas.schemas,
      responses: refusalComponents(),
      parameters: COMPONENT_PARAMETERS,
      headers: COMPONENT_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  });
}

const HALVES_OF_CHARACTERS = /\|\[\\ud800-\\udbff\]\[\\udc00-\\udfff\]|\\ud800-\\udfff/g;

const MOST_IN_32_BITS = 2_147_483_647;

/**
 * Other languages have no halves of characters in their texts, and most refuse a pattern that names them. Their numbers have
 * sizes: without a format generators of clients take those of four bytes.
 */
function portable(document: Json): Json {
  const text = JSON.stringify(document, (name, value: unknown) => {
    if (name === 'pattern' && typeof value === 'string') return value.replace(HALVES_OF_CHARACTERS, '');
    const format = formatOf(value);
    return format === undefined ? value : { ...(value as Json), format };
  });
  return JSON.parse(text) as Json;
}

/** Of the schema of a number that four bytes may not hold. */
function formatOf(schema: unknown): 'double' | 'int64' | undefined {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return undefined;
  if (schema.type === 'number') return 'double';
  const isLarge = !('maximum' in schema) || Number(schema.maximum) > MOST_IN_32_BITS;
  return schema.type === 'integer' && isLarge ? 'int64' : undefined;
}

function byPathAndMethod(left: RouteRules, right: RouteRules): number {
  const [one, other] = [left, right].map(({ path, method }) => `${path} ${method}`);
  return String(one) < String(other) ? -1 : 1;
}
