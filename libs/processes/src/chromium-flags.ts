import { WITHOUT_LAST_COMPILER } from './process/exit-flags.js';

/**
 * Chromium takes only the last list of what it is to go without. Playwright's comes first, so that this one repeats what a
 * test can meet of it.
 */
const WITHOUT = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  // A process that waits for a page of another site: each context of a test has one site, and never uses it.
  'SpareRendererForSitePerProcess',
  // Pages of the address bar, loaded by a process of their own with each window: half of what a small page costs.
  'AimEnabled',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

/** Of a Chromium that a program drives: without a window, a graphics processor, and what it would do on its own. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${WITHOUT.join(',')}`,
];

/** Of one whose pages live for a test. */
export const TESTED_CHROMIUM_FLAGS: readonly string[] = [
  ...CHROMIUM_FLAGS,
  `--js-flags=${WITHOUT_LAST_COMPILER}`,
];

/** Of a browser's start, and of whatever a page waits for: other processes do the work, on a machine that may be busy. */
export const CHROMIUM_PATIENCE_MS = 240_000;
