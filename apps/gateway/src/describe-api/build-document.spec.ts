import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { declaredRoutes } from '../application.js';
import { applicationRoutes } from '../testing/application-routes.js';
import { buildDocument } from './build-document.js';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
  readonly requestBody?: object;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
}

const TEXT = JSON.stringify(buildDocument(declaredRoutes()));
/** A copy of its own for each test: the validator writes into what it resolves. */
const built = (): Document => JSON.parse(TEXT) as Document;

describe('the OpenAPI document', () => {
  it('the OpenAPI document is in the repository as the routes and classes give it (npm run openapi)', () => {
    const committed = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(committed)).toEqual(built());
  });

  it('the OpenAPI document is valid OpenAPI 3.1, and no reference leads nowhere', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...built() });
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
    const broken = { ...built(), paths: { '/a': { get: { responses: 7 } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('the OpenAPI document has every route of the gateway, and no other', async () => {
    const { routes } = await applicationRoutes();
    const described = Object.entries(built().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const named = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.toSorted()).toEqual(named.toSorted());
  });

  it('gives each operation a unique id, and a schema to each of its answers', () => {
    const operations = Object.values(built().paths).flatMap((methods) => Object.values(methods));
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z0-9]*)+$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['trackEvent', 'readOrder', 'createApiKey', 'listSites']));
    for (const { operationId, responses } of operations) {
      const successes = Object.keys(responses).filter((status) => Number(status) < 300);
      expect({ operationId, isDescribed: successes.length > 0 }).toEqual({ operationId, isDescribed: true });
    }
  });

  it('the OpenAPI document says of each object and list what may stand in it, as generators of clients demand', () => {
    const schemas = JSON.stringify(built(), (name, value: unknown) =>
      name === 'example' ? undefined : value,
    );
    // An object that names no members becomes one that has none, and the others end the generator.
    expect(schemas).not.toMatch(/\{"type":"object"\}|"items":(?:true|false)/);
    expect(schemas).not.toMatch(/"anyOf":\[\{"anyOf":/);
    // Of these openapi-generator makes types whose parts it does not find.
    expect(schemas).not.toMatch(/"not":\{\}|"allOf":/);
    expect(schemas).not.toMatch(/"patternProperties":\{"[^"]*":(?:true|false)/);
    expect(schemas).not.toMatch(/\{"type":"array"(?:,"m\w+Items":\d+)*\}/);
    expect(JSON.stringify(built().components)).not.toMatch(/"const":(?:true|false)/);
    // A number without a format is one of four bytes: no amount, and no count of the largest ones.
    const numbers = schemas.match(/\{"type":"(?:number|integer)"[^{}]*\}/g) ?? [];
    expect(numbers.length).toBeGreaterThan(200);
    const mostOf = (schema: string): number => Number(/"maximum":([^,}]+)/.exec(schema)?.[1] ?? Infinity);
    const isFraction = (schema: string): boolean => schema.startsWith('{"type":"number"');
    expect(numbers.filter((one) => isFraction(one) && !one.includes('"format":"double"'))).toEqual([]);
    const large = numbers.filter((one) => !isFraction(one) && mostOf(one) >= 2 ** 31);
    expect(large.length).toBeGreaterThan(0);
    expect(large.filter((one) => !one.includes('"format":"int64"'))).toEqual([]);
    const patterns = [...schemas.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, pattern]) => pattern);
    expect(patterns.length).toBeGreaterThan(100);
    expect(patterns.filter((pattern) => pattern?.includes('ud8'))).toEqual([]);
  });

  it('describes a management route as on the interface page', () => {
    const { post } = built().paths['/api/v1/campaigns'] ?? {};
    expect(post?.security).toEqual([{ idToken: [] }]);
    const names = ['X-Request-Id', 'X-Workspace-Id', 'Idempotency-Key'];
    expect(post?.parameters).toEqual(names.map((name) => ({ $ref: `#/components/parameters/${name}` })));
    expect(Object.keys(post?.responses ?? {})).toEqual([
      '201',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    expect(post?.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/CampaignBody' } } },
    });
    expect(built().components.schemas['CampaignBody']).toMatchObject({ additionalProperties: false });
  });

  it('describes an event as on the interface page', () => {
    const { post } = built().paths['/api/v1/events/track'] ?? {};
    expect(post?.security).toEqual([{ apiKey: [] }, { runtimeToken: [] }]);
    expect(Object.keys(post?.responses ?? {})).toEqual([
      '200',
      '201',
      '400',
      '401',
      '403',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    expect(built().components.schemas['TrackEvent']).not.toHaveProperty('additionalProperties');
  });

  it('a body that is one of several is a schema with a name, as each of its choices is', () => {
    const { post } = built().paths['/api/v1/partner-attribution/conversions'] ?? {};
    const schema = { $ref: '#/components/schemas/RecordConversionBody' };
    expect(post?.requestBody).toMatchObject({ content: { 'application/json': { schema } } });
    const refer = (name: string) => ({ $ref: `#/components/schemas/${name}Envelope` });
    expect(built().components.schemas['RecordConversionBody']).toEqual({
      oneOf: ['Purchase', 'Adjustment', 'Cancellation'].map(refer),
    });
  });

  it('describes a PATCH as a merge patch: any field, and null', () => {
    const patch = built().components.schemas['SiteBodyPatch'];
    expect(patch).not.toHaveProperty('required');
    expect(patch?.properties).toMatchObject({
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      partner: { anyOf: [{ $ref: '#/components/schemas/SitePartnerBodyPatch' }, { type: 'null' }] },
    });
    const schema = { $ref: '#/components/schemas/SiteBodyPatch' };
    expect(built().paths['/api/v1/sites/{site_id}']?.['patch']).toMatchObject({
      requestBody: {
        content: { 'application/json': { schema }, 'application/merge-patch+json': { schema } },
      },
    });
  });
});
