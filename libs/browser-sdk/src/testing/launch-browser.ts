import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium that `npm test` has found. @throws Error without one */
export function launchBrowser(executablePath: string | undefined): Promise<Browser> {
  if (executablePath === undefined) throw new Error('CHROMIUM is not set: browser tests run by "npm test".');
  // Playwright switches the back/forward cache off otherwise.
  const ignoreDefaultArgs = ['--disable-back-forward-cache'];
  return chromium.launch({ executablePath, args: FLAGS, ignoreDefaultArgs });
}
