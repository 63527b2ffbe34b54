import { describe, expect, it } from '@jest/globals';

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: unknown;
}
interface Judge {
  faultsOf(method: string, path: string, answer: Answer): readonly string[];
}
interface Module {
  readonly DocumentedAnswers: new () => Judge;
}

const MODULE = new URL('../suites/documented-answers.mjs', import.meta.url).href;
const META = { timestamp: '2026-01-31T09:30:00.000Z', request_id: '12345678' };
const EVENT = { event_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', timestamp: META.timestamp };

describe('an answer to a test', () => {
  async function faultsOf(
    answer: Partial<Answer>,
    path = '/api/v1/events/track',
  ): Promise<readonly string[]> {
    const { DocumentedAnswers } = (await import(MODULE)) as Module;
    const body = { success: true, data: EVENT, meta: META };
    const usual = { status: 201, headers: ['x-request-id', 'x-ratelimit-reset', 'date'], body };
    return new DocumentedAnswers().faultsOf('POST', path, { ...usual, ...answer });
  }

  it('an answer to a test that is as in the document has no fault, nor one that is no route', async () => {
    expect(await faultsOf({})).toEqual([]);
    expect(await faultsOf({ status: 404, body: 7 }, '/api/v1/none')).toEqual([]);
  });

  it.each([
    ['another status', { status: 202 }, '202 is not in the document'],
    ['another header', { headers: ['retry-after'] }, 'the header retry-after'],
    [
      'a field more in its data',
      { body: { success: true, data: { ...EVENT, more: 1 }, meta: META } },
      'more',
    ],
    ['a field more beside its data', { body: { success: true, data: EVENT, meta: META, more: 1 } }, 'more'],
    ['a field less', { body: { success: true, data: {}, meta: META } }, 'event_id'],
    ['another type', { body: { success: true, data: { ...EVENT, timestamp: 7 }, meta: META } }, 'timestamp'],
    ['another refusal', { status: 400, body: { success: false, reason: 'x' } }, 'error'],
  ])('an answer to a test with %s has a fault that says so', async (_, answer, words) => {
    const faults = await faultsOf(answer);
    expect(faults.join('\n')).toContain(words);
  });
});
