import {
  compileClass,
  type DtoClass,
  type JsonSchema,
  type SchemaCollection,
} from '@truetally/contracts/validation';
import type { RouteRules } from '../http/exchange.js';
import type { AnswerForm } from '../http/route-rules.js';
import {
  type HeaderName,
  headersOf,
  type ParameterName,
  parameterOf,
  RATE_LIMIT_HEADERS,
  refusalReference,
  type SECURITY_SCHEMES,
} from './components.js';
import { areaOf } from './areas.js';
import { answerExample, bodyExample, type Example, parameterExample } from './examples.js';
import { EXAMPLES } from './generated/examples.js';
import { operationIdOf } from './operation-id.js';
import { type RouteTraits, refusalsOf, traitsOf } from './route-traits.js';

type Json = Readonly<Record<string, unknown>>;
type Scheme = keyof typeof SECURITY_SCHEMES;

const NOT_MODIFIED = 304;

/** One operation of the document. */
export function describeRoute(route: RouteRules, schemas: SchemaCollection): Json {
  const traits = traitsOf(route);
  const body = bodyOf(route, traits, schemas, bodyExample(EXAMPLES[operationIdOf(route)]));
  const words = wordsOf(route, traits);
  const operationId = operationIdOf(route);
  const example = EXAMPLES[operationId];
  return {
    operationId,
    summary: summaryOf(operationId),
    tags: [areaOf(route)],
    ...(words !== '' && { description: words }),
    security: securityOf(route, traits),
    parameters: parametersOf(route, traits, example),
    ...(body !== undefined && { requestBody: body }),
    responses: Object.fromEntries([
      ...Object.entries(route.answers ?? {}).map(([status, form]) => [
        status,
        successOf(route, traits, form, schemas, answerExample(example, status)),
      ]),
      ...(route.isCacheable === true ? [[NOT_MODIFIED, notModified(traits)]] : []),
      ...refusalsOf(route).map((status) => [status, refusalReference(status)]),
    ]),
  };
}

/** `readOrder`: "Read order". */
function summaryOf(operationId: string): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function wordsOf({ credential, body }: RouteRules, { demand }: RouteTraits): string {
  const scope =
    demand?.scope == null || demand.forbidsKeys === true ? '' : ` API keys with scope ${demand.scope}.`;
  const roles =
    demand === undefined || demand.roles.length === 0 ? '' : ` Roles: ${demand.roles.join(', ')}.`;
  const limit = body === undefined ? '' : ` Body: at most ${body.limitBytes} bytes.`;
  return `Caller: ${credential}.${scope}${roles}${limit}`;
}

/** Alternatives; an empty list: anybody. */
function securityOf({ credential, isSigned }: RouteRules, { demand }: RouteTraits): readonly Json[] {
  const schemes: Scheme[] = [];
  if (credential === 'admin') schemes.push('adminSecret');
  if (isSigned === true) schemes.push('workerSignature');
  if (demand?.scope != null && demand.forbidsKeys !== true) schemes.push('apiKey');
  if (demand?.bearer === 'id-token') schemes.push('idToken');
  if (demand?.bearer === 'runtime-token') schemes.push('runtimeToken');
  return schemes.map((scheme) => ({ [scheme]: [] }));
}

function parametersOf(route: RouteRules, traits: RouteTraits, example: Example | undefined): readonly Json[] {
  const inPath = [...route.path.matchAll(/:([A-Za-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...parameterExample(example?.path, name),
  }));
  const inQuery = [...route.knownQuery].map(([name, { schema, isRequired = false }]) => ({
    name,
    in: 'query',
    required: isRequired,
    schema,
    ...parameterExample(example?.query, name, schema),
  }));
  const isOfPage = route.credential === 'listed-page' || traits.demand?.bearer === 'runtime-token';
  const isOnlyOfPage = isOfPage && traits.demand?.scope == null;
  const asked: readonly (readonly [ParameterName, boolean])[] = [
    ['X-Request-Id', true],
    ['X-Workspace-Id', traits.picksWorkspace],
    ['Idempotency-Key', traits.takesIdempotencyKey],
    ['If-Match', traits.takesVersion],
    ['If-None-Match', route.isCacheable === true],
    ['Last-Event-ID', route.isStreamed === true],
    ['Origin', isOnlyOfPage],
    ['webhook-id', route.isSigned === true],
    ['webhook-timestamp', route.isSigned === true],
  ];
  const inHeader = asked.filter(([, isAsked]) => isAsked).map(([name]) => parameterOf(name));
  return [...inPath, ...inQuery, ...inHeader];
}

function bodyOf(
  route: RouteRules,
  { isManaging }: RouteTraits,
  schemas: SchemaCollection,
  example: Json,
): Json | undefined {
  const { body, receives, method } = route;
  const refer = (of: DtoClass<object>): JsonSchema =>
    method === 'PATCH' ? schemas.referToPatch(of) : schemas.refer(of, isManaging);
  if (body !== undefined) {
    const [first = {}, ...others] = body.of.map(refer);
    const schema = others.length === 0 ? first : schemas.referToOneOf(choiceOf(route), [first, ...others]);
    // RFC 7396 has a media type of its own.
    const asMergePatch = method === 'PATCH' ? { 'application/merge-patch+json': { schema } } : {};
    const content = { 'application/json': { schema, ...example }, ...asMergePatch };
    return { required: !body.isOptional, content };
  }
  if (receives === undefined) return undefined;
  const content = Object.entries(receives).map(([type, form]) => [
    type,
    { schema: typeof form === 'function' ? refer(form as DtoClass<object>) : form },
  ]);
  return { required: true, content: Object.fromEntries(content) };
}

/** `recordConversion`: "RecordConversionBody". */
function choiceOf(route: RouteRules): string {
  const name = operationIdOf(route);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Body`;
}

function successOf(
  route: RouteRules,
  { demand, takesIdempotencyKey }: RouteTraits,
  form: AnswerForm,
  schemas: SchemaCollection,
  example: Json,
): Json {
  const names: HeaderName[] = ['X-Request-Id'];
  if (demand !== undefined) names.push(...RATE_LIMIT_HEADERS);
  if (takesIdempotencyKey) names.push('Idempotent-Replayed');
  if (route.isCacheable === true || isVersioned(form)) names.push('ETag');
  if ('mediaTypes' in form && form.mediaTypes.includes('text/csv')) names.push('Content-Disposition');
  const stream = route.isStreamed === true ? { 'text/event-stream': { schema: STREAM } } : {};
  const content = { ...contentOf(form, schemas, example), ...stream };
  return { description: 'Success.', headers: headersOf(names), content };
}

function notModified({ demand }: RouteTraits): Json {
  const names: HeaderName[] = ['X-Request-Id', 'ETag'];
  if (demand !== undefined) names.push(...RATE_LIMIT_HEADERS);
  return { description: 'What the tag names is still so.', headers: headersOf(names) };
}

/** Interface page, section 9: what an item of the list is, is the `data` of a frame `stored`. */
const STREAM = {
  type: 'string',
  description: 'Frames `open`, `stored`, `missed` and `close`; without an end.',
} as const;

function isVersioned(form: AnswerForm): boolean {
  return 'of' in form && !form.isPage && compileClass(form.of).names.has('version');
}

function contentOf(form: AnswerForm, schemas: SchemaCollection, example: Json): Json {
  if ('mediaTypes' in form) {
    return Object.fromEntries(form.mediaTypes.map((type) => [type, { schema: fileSchema(type) }]));
  }
  const one = schemas.refer(form.of);
  const data = form.isPage ? pageOf(one) : one;
  const members = { success: { const: true }, data, meta: { $ref: '#/components/schemas/Meta' } };
  const schema = { type: 'object', properties: members, required: Object.keys(members) };
  return { 'application/json': { schema, ...example } };
}

function fileSchema(type: string): Json {
  if (type === 'application/json') return { type: 'object', additionalProperties: true };
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', contentMediaType: type };
}

/** Interface page, section 1. */
function pageOf(item: JsonSchema): Json {
  const members = {
    items: { type: 'array', items: item },
    next_cursor: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  };
  return { type: 'object', properties: members, required: Object.keys(members) };
}
