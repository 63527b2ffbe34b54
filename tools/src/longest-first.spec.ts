import { describe, expect, it } from '@jest/globals';

interface Suite {
  readonly path: string;
}
interface Sequencer {
  durations: Readonly<Record<string, number>>;
  sort(suites: readonly Suite[]): readonly Suite[];
}
interface Module {
  readonly default: new () => Sequencer;
}

const ROOT = new URL('../..', import.meta.url);
const MODULE = new URL('../longest-first.mjs', import.meta.url).href;

describe('the order of suites', () => {
  async function orderOf(durations: Readonly<Record<string, number>>): Promise<readonly string[]> {
    const { default: LongestFirst } = (await import(MODULE)) as Module;
    const sequencer = new LongestFirst();
    sequencer.durations = durations;
    const paths = Object.keys(durations).toSorted();
    const order = sequencer.sort(paths.map((path) => ({ path: new URL(path, ROOT).pathname })));
    return order.map(({ path }) => path.slice(new URL('.', ROOT).pathname.length));
  }

  it('suites of each kind run the longest first, beside those of the others in proportion to their time', async () => {
    const order = await orderOf({
      'long.e2e-spec.ts': 60,
      'short.e2e-spec.ts': 20,
      'page.browser-spec.ts': 20,
      'long.db-spec.ts': 3,
      'short.db-spec.ts': 1,
      'long.spec.ts': 2,
      'short.spec.ts': 1,
    });
    expect(order).toEqual([
      'long.e2e-spec.ts',
      'long.db-spec.ts',
      'long.spec.ts',
      'page.browser-spec.ts',
      'short.spec.ts',
      'short.db-spec.ts',
      'short.e2e-spec.ts',
    ]);
  });

  it('a suite of a kind that nobody knows is run, too', async () => {
    expect(await orderOf({ 'inner.spec.mjs': 1 })).toEqual(['inner.spec.mjs']);
  });
});
