import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { adminAnswers } from './answers/admin-suite.js';
import { AnswerWalk } from './answers/answer-walk.js';
import { experimentAnswers } from './answers/experiments-suite.js';
import { managementAnswers } from './answers/management-suite.js';
import { publisherAnswers } from './answers/publisher-suite.js';
import { refusals } from './answers/refusals-suite.js';
import { runtimeAnswers } from './answers/runtime-suite.js';

/** Networks run on this machine. */
const ENV = {
  gateway: { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' },
  'publisher-analytics': { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' },
};

describe('answers of a route match its declaration, without any other field', () => {
  let product: LaunchedProduct;
  let opened: AnswerWalk;
  const walk = (): AnswerWalk => opened;

  beforeAll(async () => {
    product = await launchProduct({ inOneProcess: true, env: ENV });
    opened = await AnswerWalk.open(product);
  });

  afterAll(() => product.stop());

  managementAnswers(walk);
  runtimeAnswers(walk);
  experimentAnswers(walk);
  publisherAnswers(walk);
  adminAnswers(walk);

  it('every route declares an answer, and every declared one was given', () => {
    const silent = opened.schemas.routes.filter(({ answers }) => answers === undefined);
    expect(silent).toEqual([]);
    const missing = opened.schemas.declared.filter((name) => !opened.seen.has(name));
    expect(missing).toEqual([]);
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
});
