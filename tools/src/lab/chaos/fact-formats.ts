import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

interface AsyncApi {
  readonly channels: Readonly<Record<string, Channel>>;
}

interface Channel {
  /** The topic, without prefix. */
  readonly address: string;
  readonly messages: Readonly<Record<string, { readonly $ref: string }>>;
}

const DOCUMENT = 'asyncapi';

/** The formats of all facts, as docs/asyncapi.yaml has them. */
export class FactFormats {
  private readonly validators = new Map<string, ValidateFunction>();

  constructor() {
    const text = readFileSync(join(REPOSITORY_ROOT, 'docs', 'asyncapi.yaml'), 'utf8');
    const document = parse(text) as AsyncApi;
    // The document has more than schemas.
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    // Ours, which a reader of the document may leave unchecked.
    ajv.addFormat('link-url', true);
    ajv.addSchema(document, DOCUMENT);
    for (const { address, messages } of Object.values(document.channels)) {
      const payloads = Object.values(messages).map(({ $ref }) => ({ $ref: `${DOCUMENT}${$ref}/payload` }));
      this.validators.set(address, ajv.compile({ oneOf: payloads }));
    }
  }

  /** Of all facts, without prefix. */
  get topics(): readonly string[] {
    return [...this.validators.keys()];
  }

  /** What is wrong with a fact of this topic; undefined when nothing is. */
  faultOf(topic: string, value: string | null): string | undefined {
    const validate = this.validators.get(topic);
    if (validate === undefined) return 'no such channel';
    let fact: unknown;
    try {
      fact = JSON.parse(value ?? 'null');
    } catch {
      return 'no JSON';
    }
    if (validate(fact)) return undefined;
    const { instancePath = '', message = 'invalid' } = validate.errors?.[0] ?? {};
    return `${instancePath} ${message}`.trim();
  }
}
