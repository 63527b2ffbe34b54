import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Product, sharedProduct } from '@truetally/testing-product';
import type { Examples } from '../describe-api/examples.js';
import { EXAMPLES } from '../describe-api/generated/examples.js';
import { operationIdOf } from '../describe-api/operation-id.js';
import { adminAnswers } from './answers/admin-suite.js';
import { analyticsAnswers } from './answers/analytics-suite.js';
import { AnswerWalk } from './answers/answer-walk.js';
import { kindOf } from './answers/example-book.js';
import { experimentAnswers } from './answers/experiments-suite.js';
import { publishedFacts } from './answers/facts-suite.js';
import { managementAnswers } from './answers/management-suite.js';
import { peopleAnswers } from './answers/people-suite.js';
import { publisherAnswers } from './answers/publisher-suite.js';
import { refusals } from './answers/refusals-suite.js';
import { runtimeAnswers } from './answers/runtime-suite.js';

describe('answers of a route match its declaration, without any other field', () => {
  let product: Product;
  let opened: AnswerWalk;
  const walk = (): AnswerWalk => opened;

  beforeAll(async () => {
    product = await sharedProduct();
    opened = await AnswerWalk.open(product);
  });

  afterAll(() => product.stop());

  managementAnswers(walk);
  runtimeAnswers(walk);
  experimentAnswers(walk);
  peopleAnswers(walk);
  publisherAnswers(walk);
  analyticsAnswers(walk);
  adminAnswers(walk);

  it('every route declares an answer, and every declared one was given', () => {
    const silent = opened.schemas.routes.filter(({ answers }) => answers === undefined);
    expect(silent).toEqual([]);
    const missing = opened.schemas.declared.filter((name) => !opened.seen.has(name));
    expect(missing).toEqual([]);
  });

  it('the example of every operation in docs/openapi.json is a request that was sent, and answered', () => {
    const isRecording = process.env['RECORD_EXAMPLES'] === 'true';
    const expected = isRecording ? opened.book.write() : EXAMPLES;
    expect(isRecording ? [] : [...opened.book.stale]).toEqual([]);
    const kinds = (examples: Examples): unknown =>
      Object.entries(examples).map(([id, example]) => [id, kindOf(example)]);
    expect(kinds(opened.book.all)).toEqual(kinds(expected));
    expect(Object.keys(expected).toSorted()).toEqual(opened.schemas.routes.map(operationIdOf).toSorted());
  });

  it('a difference to the class is detected', () => {
    const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
    const known = { id, deleted: true };
    const meta = { timestamp: '2026-01-31T09:30:00.000Z', request_id: '12345678' };
    const faultsOf = (method: string, path: string, data: unknown, more: object = {}): unknown =>
      opened.schemas.judge(method, path, {
        status: 200,
        contentType: 'application/json',
        body: { success: true, data, meta, ...more },
      }).faults;
    expect(faultsOf('DELETE', `/api/v1/products/${id}`, known)).toEqual([]);
    expect(faultsOf('DELETE', `/api/v1/products/${id}`, known, { more: 1 })).not.toEqual([]);
    expect(faultsOf('DELETE', `/api/v1/products/${id}`, { ...known, more: 1 })).not.toEqual([]);
    expect(faultsOf('DELETE', `/api/v1/products/${id}`, { id })).not.toEqual([]);
    expect(faultsOf('GET', '/api/v1/products', { items: [known], next_cursor: null })).not.toEqual([]);
  });

  refusals(walk);
  publishedFacts(walk);
});
