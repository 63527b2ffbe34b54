import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { isRun, PAGES, samplesIn, samplesOf } from './samples.js';

/** Of a marked block: it is not run, and this is why; or only its syntax is judged, where its parser is installed. */
const EXCUSES = /^(not run here: .+|syntax)$/;
const PARSERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  python: ['python3', '-c', 'import ast, sys; ast.parse(sys.stdin.read())'],
  go: ['gofmt', '-e'],
  ruby: ['ruby', '-c'],
  php: ['php', '-l'],
};

describe('samples of a page', () => {
  it('samples of a page are its blocks with language, line and marker, without pictures', () => {
    const page = ['Text', '```sh', 'true', '```', '<!-- sample: schema Site -->', '', '```json', '{}', '```'];
    const picture = ['```mermaid', 'flowchart LR', '```'];
    expect(samplesOf([...page, ...picture].join('\n'))).toEqual([
      { language: 'sh', text: 'true', line: 2, marker: undefined },
      { language: 'json', text: '{}', line: 7, marker: 'schema Site' },
    ]);
  });

  it('a block without a language or an end is a fault of the page', () => {
    expect(() => samplesOf('```\ntrue\n```')).toThrow('line 1 has no language');
    expect(() => samplesOf('```sh\ntrue')).toThrow('line 1 has no end');
  });
});

describe('samples of the guides', () => {
  it.each(PAGES)('every sample of %s is run, or says why it is not', (page) => {
    const silent = samplesIn(page).filter((sample) => !isRun(sample) && !EXCUSES.test(sample.marker ?? ''));
    expect(silent.map(({ line, language }) => ({ page, line, language }))).toEqual([]);
  });

  it('samples in languages whose parser is installed have no fault of syntax', () => {
    const marked = PAGES.flatMap(samplesIn).filter(({ marker }) => marker === 'syntax');
    expect(marked.map(({ language }) => language).toSorted()).toEqual(Object.keys(PARSERS).toSorted());
    for (const { language, text } of marked) {
      const [command = '', ...args] = PARSERS[language] ?? [];
      expect({ language, fault: faultOf(command, args, text) }).toEqual({ language, fault: undefined });
    }
  });
});

/** Nothing is known where there is no such parser. */
function faultOf(command: string, args: readonly string[], text: string): string | undefined {
  try {
    execFileSync(command, args, { input: text, stdio: 'pipe' });
    return undefined;
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent ? undefined : String(error);
  }
}
