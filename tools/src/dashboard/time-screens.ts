import { launchChromium, DashboardPage } from './dashboard-browser.js';
import { openDemoStack } from './demo-stack.js';

const RUNS = 9;
/** As a phone of the middle class. */
const SLOWED = 4;
const WIDTH = 1280;

interface Loaded {
  readonly ms: number;
  /** Over the network, headers included, of the page, the API and the issuer. */
  readonly bytes: number;
}

/**
 * From navigation to the overview's chart with its data, with the processor slowed four times: with an empty cache and with a
 * filled one. Both go to the issuer and back, because tokens live in the page's memory only.
 */
export async function timeScreens(
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const stack = await openDemoStack(environment);
  const browser = await launchChromium(environment);
  try {
    const shown = await DashboardPage.open(browser, stack, WIDTH);
    const { page } = shown;
    const devtools = await shown.context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const load = async (): Promise<Loaded> => {
      await page.goto('about:blank');
      bytes = 0;
      const startedAt = performance.now();
      await shown.visit(`overview?site=${stack.siteId}`);
      await page.getByRole('figure', { name: 'Events per day.' }).waitFor();
      return { ms: performance.now() - startedAt, bytes };
    };
    for (const kind of ['cold', 'warm'] as const) {
      const runs: Loaded[] = [];
      while (runs.length < RUNS) {
        if (kind === 'cold') await devtools.send('Network.clearBrowserCache');
        runs.push(await load());
      }
      const { ms, bytes: sent } = medianOf(runs);
      say(`${kind}: ${ms.toFixed(0)} ms, ${(sent / 1000).toFixed(0)} KB (median of ${RUNS})`);
    }
  } finally {
    await browser.close();
    await stack.stop();
  }
}

function medianOf(runs: readonly Loaded[]): Loaded {
  const sorted = runs.toSorted((one, other) => one.ms - other.ms);
  return sorted[Math.floor(sorted.length / 2)] ?? { ms: 0, bytes: 0 };
}
