import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Seconds of each suite, recorded by a whole run with `RECORD_TEST_DURATIONS=true`. */
const DURATIONS = join(ROOT, 'tools', 'test-durations.json');
/** Kinds of suites, the last of all that is left, and the seconds of one that was never recorded: such a suite must not start last. */
const KINDS = [
  { ending: /\.(browser|clickhouse|e2e)-spec\.ts$/, seconds: 30 },
  { ending: /\.db-spec\.ts$/, seconds: 8 },
  { ending: /$/, seconds: 1 },
];

/**
 * Runs the longest suites of each kind first, so that no worker is left with a long one at the end, and all kinds side by side:
 * those that speak with a product mostly wait for it, and pure ones for nothing. When the longest of all came first, processors were
 * idle at the beginning of a run, and at its end all workers needed them at once.
 */
export default class LongestFirst extends Sequencer {
  durations = existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};

  sort(suites) {
    const kindOf = ({ path }) => KINDS.find(({ ending }) => ending.test(path));
    return KINDS.flatMap((kind) =>
      this.placesOf(
        suites.filter((suite) => kindOf(suite) === kind),
        kind.seconds,
      ),
    )
      .sort((left, right) => left.place - right.place)
      .map(({ suite }) => suite);
  }

  /** Suites of one kind, each with the share of their time that is taken by those before it. */
  placesOf(suites, expected) {
    const timed = suites
      .map((suite) => ({ suite, seconds: this.durations[relative(ROOT, suite.path)] ?? expected }))
      .sort((left, right) => right.seconds - left.seconds);
    const total = timed.reduce((sum, { seconds }) => sum + seconds, 0);
    let before = 0;
    return timed.map(({ suite, seconds }) => {
      const place = before / total;
      before += seconds;
      return { suite, place };
    });
  }
}
