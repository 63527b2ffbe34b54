import { describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/processes';
import { DelayLine, type Weather } from './delay-line.js';

describe('a delay line', () => {
  it('lets everything through in its order, however long each would take', async () => {
    let weather: Weather | undefined = { delayMs: 0, jitterMs: 20, lossRate: 0.1 };
    const line = new DelayLine(() => weather);
    const came: number[] = [];
    const all = Array.from({ length: 100 }, (_, n) => n);
    for (const n of all.slice(0, 60)) line.pass(() => came.push(n));
    weather = undefined;
    for (const n of all.slice(60)) line.pass(() => came.push(n));
    expect(came).toEqual([]);
    await eventually(() => came.length === all.length);
    expect(came).toEqual(all);
  });

  it('delays nothing under good conditions', () => {
    const came: number[] = [];
    new DelayLine(() => undefined).pass(() => came.push(1));
    expect(came).toEqual([1]);
  });
});
