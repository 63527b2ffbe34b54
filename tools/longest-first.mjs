import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Seconds of each suite, recorded by a whole run with `RECORD_TEST_DURATIONS=true`. */
const DURATIONS = join(ROOT, 'tools', 'test-durations.json');
/** Of a suite that was never recorded, seconds by its kind: such a suite must not start last. */
const EXPECTED_SECONDS = [
  ['.browser-spec.ts', 60],
  ['.e2e-spec.ts', 30],
  ['.db-spec.ts', 8],
];
const SHORT_SECONDS = 1;

/** Runs the longest suite first, so that no worker is left with a long one at the end. */
export default class LongestFirst extends Sequencer {
  durations = existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};

  sort(suites) {
    return [...suites].sort((left, right) => this.secondsOf(right.path) - this.secondsOf(left.path));
  }

  secondsOf(path) {
    const recorded = this.durations[relative(ROOT, path)];
    return recorded ?? EXPECTED_SECONDS.find(([ending]) => path.endsWith(ending))?.[1] ?? SHORT_SECONDS;
  }
}
