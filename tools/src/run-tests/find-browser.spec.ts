import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findChromium, findShell, withoutBrowser } from './find-browser.js';

describe('the Chromium of a test run', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-browser-'));
    for (const name of ['without', 'with', 'with/a-folder']) mkdirSync(join(folder, name));
    mkdirSync(join(folder, 'without', 'chromium'));
    writeFileSync(join(folder, 'with', 'chromium'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'with', 'text'), '', { mode: 0o644 });
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const at = (name: string): string => join(folder, name);

  it('a Chromium on the path is found', () => {
    const path = [at('missing'), at('without'), at('with')].join(delimiter);
    expect(findChromium({ PATH: path })).toBe(at('with/chromium'));
    expect(findChromium({ PATH: at('without') })).toBeUndefined();
    expect(findChromium({})).toBeUndefined();
  });

  it('a shell is taken where there is one, and the browser where there is none, or where it is named', () => {
    expect(findShell({ PATH: at('with') })).toBe(at('with/chromium'));
    writeFileSync(join(folder, 'without', 'chromium-headless-shell'), '', { mode: 0o755 });
    const path = [at('with'), at('without')].join(delimiter);
    expect(findShell({ PATH: path })).toBe(at('without/chromium-headless-shell'));
    expect(findShell({ PATH: path, CHROMIUM: at('with/chromium') })).toBe(at('with/chromium'));
  });

  it('a Chromium named in CHROMIUM alone counts', () => {
    const path = at('with');
    expect(findChromium({ PATH: path, CHROMIUM: at('with/chromium') })).toBe(at('with/chromium'));
    for (const name of ['missing', 'with/text', 'with/a-folder'])
      expect(findChromium({ PATH: path, CHROMIUM: at(name) })).toBeUndefined();
    expect(findChromium({ PATH: path, CHROMIUM: '' })).toBe(at('with/chromium'));
  });

  it('the number of files that do not run without one is told', () => {
    expect(withoutBrowser()).toMatch(
      /^browser tests did not run: [1-9]\d* files, no Chromium found; install it with /,
    );
  });
});
