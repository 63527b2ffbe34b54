import { CHROMIUM_PATIENCE_MS, TESTED_CHROMIUM_FLAGS } from '@truetally/testing';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** The Chromium that `npm test` has found. @throws Error without one */
export function launchBrowser(executablePath: string | undefined): Promise<Browser> {
  if (executablePath === undefined) throw new Error('CHROMIUM is not set: browser tests run by "npm test".');
  // Playwright switches the back/forward cache off otherwise.
  const ignoreDefaultArgs = ['--disable-back-forward-cache'];
  return chromium.launch({
    executablePath,
    args: [...TESTED_CHROMIUM_FLAGS],
    ignoreDefaultArgs,
    timeout: CHROMIUM_PATIENCE_MS,
  });
}

export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(CHROMIUM_PATIENCE_MS);
  return context;
}
