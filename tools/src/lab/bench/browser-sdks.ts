import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../run-tests/find-browser.js';
import type { Row } from './report.js';
import { type Measured, MEASURED } from './sdk-entries.js';
import { SdkReceiver } from './sdk-receiver.js';

const SLOWED = 4;
const LOADS = 3;
const EVENTS = 100;
const NAVIGATIONS = 200;
const QUICK_NAVIGATIONS = 20;
/** Every SDK has sent its batch by then. */
const SETTLE_MS = 2_000;
/** What the next visit still sends of earlier ones. */
const LAST_VISIT_MS = 8_000;
const MS = 1_000;

interface Figures {
  readonly scriptBytes: number;
  readonly eventBytes: number;
  readonly loadMs: number;
  readonly eventMs: number;
  readonly lost: number;
  readonly navigations: number;
}

/**
 * Our SDK beside others, in one Chromium: each sends to a receiver on this machine. The others are installed into a
 * temporary folder for the time of the run.
 */
export async function browserSdkRows(isQuick: boolean): Promise<readonly Row[]> {
  const executablePath = findChromium(process.env);
  if (executablePath === undefined) throw new Error('No Chromium found: name it in CHROMIUM.');
  const folder = mkdtempSync(join(tmpdir(), 'truetally-sdks-'));
  const receiver = await SdkReceiver.open();
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox'] });
  try {
    const packages = MEASURED.flatMap(({ packageName }) => packageName ?? []);
    writeFileSync(join(folder, 'package.json'), '{}');
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
    execFileSync('npm', install, { cwd: folder, stdio: 'ignore' });
    const figures = new Map<string, Figures>();
    for (const measured of MEASURED) {
      await publish(receiver, measured, folder);
      figures.set(measured.name, await measure(browser, receiver, isQuick ? QUICK_NAVIGATIONS : NAVIGATIONS));
    }
    return rowsOf(figures);
  } finally {
    await browser.close();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page of an SDK: its own scripts, bundled and minified, are the page's only ones. */
async function publish(receiver: SdkReceiver, { name, entry }: Measured, folder: string): Promise<void> {
  const file = join(folder, 'entry.js');
  writeFileSync(file, entry);
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    define: { RECEIVER: JSON.stringify(receiver.origin), 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  const own = name === 'Truetally' ? servedCore() : '';
  receiver.put('/sdk.js', 'text/javascript', own + (outputFiles[0]?.text ?? ''));
  receiver.put('/', 'text/html', PAGE);
}

const PAGE =
  '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><script src="/sdk.js"></script>';

function servedCore(): string {
  const served = join(REPOSITORY_ROOT, 'libs', 'browser-sdk', 'dist', 'bundle', 'served');
  const core = readdirSync(served).find((name) => /^truetally\.[0-9a-f]+\.js$/.test(name));
  if (core === undefined) throw new Error('The SDK is not bundled.');
  return readFileSync(join(served, core), 'utf8');
}

async function measure(browser: Browser, receiver: SdkReceiver, navigations: number): Promise<Figures> {
  const loads: number[] = [];
  const events: number[] = [];
  const sent: number[] = [];
  receiver.forget();
  for (let index = 0; index < LOADS; index += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    // Time of the thread, and not of the clock: other processes take none of it.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    const busyMs = async (): Promise<number> => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * MS;
    };
    const beforeMs = await busyMs();
    await page.goto(receiver.origin);
    await page.waitForTimeout(SETTLE_MS);
    const loadedMs = await busyMs();
    const { sentBytes } = receiver;
    await captureSpread(page, index * EVENTS);
    await page.waitForTimeout(SETTLE_MS);
    loads.push(loadedMs - beforeMs);
    events.push((await busyMs()) - loadedMs);
    sent.push((receiver.sentBytes - sentBytes) / EVENTS);
    await context.close();
  }
  const scriptBytes = receiver.scriptBytes / LOADS;
  const lost = await lostOf(browser, receiver, navigations);
  return {
    scriptBytes,
    eventBytes: median(sent),
    loadMs: median(loads),
    eventMs: median(events) / EVENTS,
    lost,
    navigations,
  };
}

/** One event every 10 ms, each in a task of its own. */
async function captureSpread(page: Page, from: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let count = 0;
    const timer = setInterval(() => {
      capture(${from} + count);
      count += 1;
      if (count < ${EVENTS}) return;
      clearInterval(timer);
      resolve();
    }, 10);
  })`);
}

/** Events that never arrive of visits that end in the moment of their click. */
async function lostOf(browser: Browser, receiver: SdkReceiver, navigations: number): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  receiver.forget();
  await page.goto(receiver.origin);
  for (let index = 0; index < navigations; index += 1) {
    // The click and the navigation are one task, as those of a link are.
    await Promise.all([
      page.waitForEvent('load'),
      page.evaluate(`capture(${index}); location.href = '/?${index}'`),
    ]);
  }
  await page.waitForTimeout(LAST_VISIT_MS);
  await context.close();
  return navigations - receiver.events.size;
}

function rowsOf(figures: ReadonlyMap<string, Figures>): readonly Row[] {
  const nothing = figures.get('nothing');
  const own = figures.get('Truetally');
  if (nothing === undefined || own === undefined) throw new Error('Nothing was measured.');
  const others = [...figures].filter(([name]) => name !== 'nothing');
  const rows: Row[] = [];
  const compare = (what: string, of: (one: Figures) => number, figure: (value: number) => string): void => {
    for (const [name, one] of others) {
      const value = of(one);
      rows.push({
        name: `${what}: ${name}`,
        figure: figure(value),
        ...(of(own) > 0 && { ratio: value / of(own) }),
      });
    }
  };
  const inMs = (value: number): string => `${value.toFixed(2)} ms`;
  compare(
    'script, gzip',
    ({ scriptBytes }) => scriptBytes - nothing.scriptBytes,
    (value) => `${Math.round(value)} bytes`,
  );
  compare(
    'an event, sent',
    ({ eventBytes }) => eventBytes,
    (value) => `${Math.round(value)} bytes`,
  );
  compare('main thread, a load, processor slowed 4 times', ({ loadMs }) => loadMs - nothing.loadMs, inMs);
  compare(
    'main thread, an event, processor slowed 4 times',
    ({ eventMs }) => eventMs - nothing.eventMs,
    inMs,
  );
  compare(
    'lost',
    ({ lost }) => lost,
    (value) => `${value} of ${own.navigations} abrupt navigations`,
  );
  return rows;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
