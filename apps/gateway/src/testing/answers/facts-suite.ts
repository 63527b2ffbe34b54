import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventually, readRecords } from '@truetally/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import type { AnswerWalk } from './answer-walk.js';

interface Reference {
  readonly $ref: string;
}
interface FactsDocument {
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, Reference>> }>
  >;
  readonly components: { readonly schemas: object };
}

const FILE = new URL('../../../../../docs/asyncapi.yaml', import.meta.url);
const ROOT = 'asyncapi';
/** Of classes of contents, which the gateway has judged. */
const OUR_FORMATS = { 'http-url': true, 'link-url': true, email: true } as const;

/** What the product has published about all that was sent before. */
export function publishedFacts(walk: () => AnswerWalk): void {
  describe('facts', () => {
    it('every public topic has facts, each as docs/asyncapi.yaml describes it, without any other field', async () => {
      const { kafkaBrokers, topicPrefix } = walk().product.installation;
      const judges = factJudges();
      let silent: readonly string[] = [];
      // Some of what was sent before is published behind its answer.
      const records = await eventually(
        async () => {
          const read = await readRecords(kafkaBrokers, topicPrefix, [...judges.keys()]);
          const told = new Set(read.filter(({ value }) => value !== null).map(({ topic }) => topic));
          silent = [...judges.keys()].filter((name) => !told.has(topicPrefix + name));
          return silent.length === 0 && read;
        },
        { message: () => `facts of ${silent.join(', ')}` },
      );
      const faults: unknown[] = [];
      for (const { topic, value } of records) {
        const name = topic.slice(topicPrefix.length);
        const isFact = judges.get(name);
        if (isFact === undefined) throw new Error(`${name} was not asked for.`);
        const isRight = isFact(JSON.parse(value ?? 'null'));
        if (!isRight) faults.push({ name, value, errors: isFact.errors });
      }
      expect(faults).toEqual([]);
    });

    it('a fact with a field more than its description is not right, nor one with a field less', () => {
      const isFact = factJudges().get('sites.erased.v1');
      const fact = { site_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' };
      expect([isFact?.(fact), isFact?.({ ...fact, more: 1 }), isFact?.({})]).toEqual([true, false, false]);
    });
  });
}

/** By the name of the topic. */
function factJudges(): ReadonlyMap<string, ValidateFunction> {
  const document = parse(readFileSync(FILE, 'utf8')) as FactsDocument;
  const ajv = new Ajv2020({ strict: false, formats: OUR_FORMATS });
  formats.default(ajv);
  ajv.addSchema({ ...(closed(document) as object), $id: ROOT });
  return new Map(
    Object.values(document.channels).map(({ address, messages }) => {
      const anyOf = Object.values(messages).map(({ $ref }) => ({ $ref: `${ROOT}${$ref}/payload` }));
      return [address, ajv.compile({ anyOf })];
    }),
  );
}

/** Readers ignore fields that they do not know; a producer has no others than the document. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  return 'properties' in node && 'required' in node ? { additionalProperties: false, ...members } : members;
}
