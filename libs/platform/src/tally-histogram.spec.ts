import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Metrics } from './metrics.js';

describe('a tallied histogram', () => {
  it('reads as a histogram of the metrics library does', async () => {
    const metrics = new Metrics('gateway');
    const library = metrics.seconds('library_seconds', 'Seconds.', ['route', 'status']);
    const tallied = metrics.tallied('tallied_seconds', 'Seconds.', (route, status) => ({
      route,
      status: String(status),
    }));
    const observation = fc.record({
      route: fc.constantFrom('/events/track', '/events/batch'),
      status: fc.constantFrom(200, 201, 503),
      seconds: fc.oneof(
        fc.constantFrom(0, 0.0005, 0.001, 10, 11),
        fc.double({ min: 0, max: 20, noNaN: true }),
      ),
    });
    for (const { route, status, seconds } of fc.sample(observation, 500)) {
      library.observe({ route, status: String(status) }, seconds);
      tallied.observe(route, status, seconds);
    }
    const text = await metrics.text();
    const linesOf = (name: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(`truetally_${name}_`) && !line.includes('_sum'))
        .map((line) => sortedLabels(line.slice(`truetally_${name}`.length)))
        .sort();
    expect(linesOf('tallied_seconds').length).toBeGreaterThan(10);
    expect(linesOf('tallied_seconds')).toEqual(linesOf('library_seconds'));
  });
});

function sortedLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`);
}
