import { describe, expect, it } from '@jest/globals';
import specifications from '@asyncapi/specs';
import { Ajv, type SchemaObject } from 'ajv';
import formats from 'ajv-formats';
import { describeFacts, readFactsDocument } from './describe-facts.js';

describe('docs/asyncapi.yaml', () => {
  const written = readFactsDocument();

  it('docs/asyncapi.yaml is in the repository as the declarations give it (npm run asyncapi)', () => {
    expect(written).toEqual(describeFacts(written));
  });

  it('docs/asyncapi.yaml is valid AsyncAPI 3, by the schema of its makers', () => {
    const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
    formats.default(ajv);
    const validate = ajv.compile(specifications.schemas['3.0.0'] as SchemaObject);
    expect({ isValid: validate(written), errors: validate.errors }).toEqual({ isValid: true, errors: null });
    expect(validate({ ...written, channels: { one: { address: 7 } } })).toBe(false);
  });

  it('a field, a word and partitions that the document has lost are found in the declarations', () => {
    const [first = '', ...others] = JSON.stringify(written).split('"trust":');
    const lost = JSON.parse([first, ...others].join('"mistrust":')) as typeof written;
    expect(describeFacts(lost).components.schemas['StoredEvent']).toHaveProperty('properties.trust.enum', [
      'server',
      'browser',
    ]);
    const changed = { ...written, channels: { ...written.channels, sites: {} } };
    expect(describeFacts(changed).channels['sites']).toMatchObject({ address: 'sites.v1' });
    expect(() => describeFacts({ ...written, channels: {} })).toThrow('no channel eventsStored');
  });
});
