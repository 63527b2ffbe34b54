import type { BrowserContext } from 'playwright-core';

interface Answer {
  readonly status: number;
  /** Of the moment of the answer. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** Answers the next batches in the service's place. @returns when each batch was sent */
export async function answerBatches(
  context: BrowserContext,
  origin: string,
  answers: readonly Answer[],
): Promise<readonly number[]> {
  const waiting = [...answers];
  const times: number[] = [];
  await context.route('**/events/batch', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    times.push(Date.now());
    const answer = waiting.shift();
    if (answer === undefined) return route.continue();
    const error = { code: 'X', message: 'x', details: {} };
    const cors = { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' };
    return route.fulfill({
      status: answer.status,
      headers: { ...cors, ...answer.headers?.() },
      body: JSON.stringify({ success: false, error, meta: {} }),
    });
  });
  return times;
}
