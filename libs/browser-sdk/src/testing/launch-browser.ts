import { CHROMIUM_FLAGS } from '@truetally/testing';
import { type Browser, chromium } from 'playwright-core';

/** The Chromium that `npm test` has found. @throws Error without one */
export function launchBrowser(executablePath: string | undefined): Promise<Browser> {
  if (executablePath === undefined) throw new Error('CHROMIUM is not set: browser tests run by "npm test".');
  // Playwright switches the back/forward cache off otherwise.
  const ignoreDefaultArgs = ['--disable-back-forward-cache'];
  return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS], ignoreDefaultArgs });
}
