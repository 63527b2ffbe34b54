import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { inStep } from './pulse.js';

const INTERVAL_MS = 300;

describe('inStep', () => {
  let calls: string[];
  let ends: (() => void)[];

  beforeEach(() => {
    jest.useFakeTimers();
    calls = [];
    ends = [];
  });

  afterEach(() => {
    for (const end of ends) end();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  const begin = (name: string, intervalMs = INTERVAL_MS): (() => void) => {
    const end = inStep(intervalMs, () => calls.push(name));
    ends.push(end);
    return end;
  };

  it('calls of one interval that begin at different times come together, with one timer', () => {
    begin('first');
    jest.advanceTimersByTime(INTERVAL_MS / 3);
    begin('second');
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersToNextTimer();
    expect(calls).toEqual(['first', 'second']);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    expect(calls).toHaveLength(6);
  });

  it('a call in step comes within its interval, and then once in each', () => {
    jest.advanceTimersByTime(INTERVAL_MS / 2);
    begin('late');
    jest.advanceTimersByTime(INTERVAL_MS);
    expect(calls).toEqual(['late']);
    jest.advanceTimersByTime(INTERVAL_MS);
    expect(calls).toEqual(['late', 'late']);
  });

  it('a call in step that ended comes no more, and the others go on', () => {
    const end = begin('ended');
    begin('staying');
    end();
    jest.advanceTimersByTime(INTERVAL_MS);
    expect(calls).toEqual(['staying']);
  });

  it('a call in step that fails ends neither its pulse nor the next one of its own', () => {
    let tries = 0;
    ends.push(
      inStep(INTERVAL_MS, () => {
        tries++;
        throw new Error('failed');
      }),
    );
    expect(() => jest.advanceTimersByTime(INTERVAL_MS)).toThrow('failed');
    expect(() => jest.advanceTimersByTime(INTERVAL_MS)).toThrow('failed');
    expect(tries).toBe(2);
  });
});
