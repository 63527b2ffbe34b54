import { describe, expect, it } from '@jest/globals';
import { instrument, RECORDER } from './instrument.js';
import { type Passed, readWay } from './read-way.js';
import { Recorder, type Step } from './recorder.js';

/** Files of a program: each text is a function body that gets what the files before it have returned. */
type Files = Readonly<Record<string, string>>;

/** Runs a program whose last file returns its request; keeps what the request did. */
async function wayOf(files: Files): Promise<readonly Passed[]> {
  const recorder = new Recorder();
  const parts: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(files)) {
    const woven = instrument(`(${text})`, `apps/x/dist/${name}.js`);
    const make = new Function(RECORDER, 'parts', `return ${woven};`) as (...all: unknown[]) => unknown;
    parts[name] = (make(recorder, parts) as () => unknown)();
  }
  const request = Object.values(parts).at(-1) as () => Promise<unknown>;
  recorder.take();
  const fromNs = process.hrtime.bigint();
  await request();
  const toNs = process.hrtime.bigint();
  const steps: readonly Step[] = recorder.take();
  return readWay(new Map([['x', steps]]), [{ fromNs, toNs }]);
}

const visitsOf = (passed: readonly Passed[]): readonly string[] =>
  passed.map(({ file, visits }) => `${file.replace(/.*\//, '').replace('.ts', '')} ${visits}`);

describe('the way of a request', () => {
  it('a file that is asked twice in a row is visited once', async () => {
    const passed = await wayOf({
      one: '() => ({ first: () => 1, second: () => 2 })',
      edge: '() => async () => parts.one.first() + parts.one.second()',
    });
    expect(visitsOf(passed)).toEqual(['edge 1', 'one 1']);
  });

  it('a file to which the way comes back from another is visited twice', async () => {
    const passed = await wayOf({
      one: '() => ({ first: () => 1, second: () => 2 })',
      two: '() => () => 3',
      edge: '() => async () => parts.one.first() + parts.two() + parts.one.second()',
    });
    expect(visitsOf(passed)).toEqual(['edge 1', 'one 2', 'two 1']);
  });

  it('a file whose promise is not settled is not left', async () => {
    const passed = await wayOf({
      two: '() => () => Promise.resolve(3)',
      one: '() => { const settle = []; return { ask: () => new Promise((done) => settle.push(done)), reply: () => settle.pop()() }; }',
      edge: '() => async () => { const asked = parts.one.ask(); await parts.two(); parts.one.reply(); await asked; }',
    });
    expect(visitsOf(passed)).toEqual(['edge 1', 'one 1', 'two 1']);
  });

  it('a method of an object that the request has made is no visit', async () => {
    const passed = await wayOf({
      value: '() => class { constructor() { this.held = 1; } get() { return this.held; } }',
      two: '() => () => 3',
      edge: '() => async () => { const made = new parts.value(); parts.two(); return made.get(); }',
    });
    expect(visitsOf(passed)).toEqual(['edge 1', 'value 1', 'two 1']);
  });

  it('what a program returns and awaits is the same with the recorder', async () => {
    const recorder = new Recorder();
    const text = instrument(
      '(async (a, b = () => a) => { for (const x of [1]) { if (await b() === 1) return { x, sum: (() => ({ y: x }))() }; } })',
      'f.js',
    );
    const make = new Function(RECORDER, `return ${text};`) as (recorder: Recorder) => (a: number) => unknown;
    await expect(make(recorder)(1)).resolves.toEqual({ x: 1, sum: { y: 1 } });
    const begun = recorder.take().filter(({ kind }) => kind === 'began');
    expect(begun).toHaveLength(3);
  });
});
