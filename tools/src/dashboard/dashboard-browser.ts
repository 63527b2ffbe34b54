import AxeBuilder from '@axe-core/playwright';
import { CHROMIUM_FLAGS, CHROMIUM_PATIENCE_MS } from '@truetally/processes';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { DEMO_SUBJECTS } from '../demo/demo-members.js';
import { findChromium, withoutBrowser } from '../run-tests/find-browser.js';
import { type DemoStack } from './demo-stack.js';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Elements that pass are not gathered: that is most of axe's time. */
const VIOLATIONS_ONLY = { resultTypes: ['violations' as const] };
/** Source for a page that has axe already: its rules are read once by a document, which costs as much as an analysis. */
const LOADED = 'void 0';
const HEIGHT = 800;
const WIDE = 1000;
/** What a value that is none looks like; code is shown as it is. */
const NO_VALUE = /\b(?:NaN|Infinity|undefined|null)\b|\[object|Invalid Date/;
/** Scripts of the page are text here: this program has no types of a browser's globals. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('securitypolicyviolation', event.violatedDirective, event.blockedURI, event.sample));`;
const LOADING = '[role=status][aria-label=Loading]';
const SHOWN = `(() => {
  const shown = document.querySelector('main').cloneNode(true);
  for (const code of shown.querySelectorAll('code')) code.remove();
  const { scrollWidth, clientWidth } = document.documentElement;
  return { overflow: scrollWidth - clientWidth, text: shown.textContent };
})()`;

interface Shown {
  /** How many pixels are to the right of the window. */
  readonly overflow: number;
  readonly text: string;
}

export async function launchChromium(environment: NodeJS.ProcessEnv): Promise<Browser> {
  const executablePath = findChromium(environment);
  if (executablePath === undefined) throw new Error(withoutBrowser());
  return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
}

/** A page of the dashboard, signed in as the demo's owner, with everything that it complains of. */
export class DashboardPage {
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly stack: DemoStack,
  ) {}

  static async open(browser: Browser, stack: DemoStack, width: number): Promise<DashboardPage> {
    const context = await browser.newContext({ viewport: { width, height: HEIGHT } });
    context.setDefaultTimeout(CHROMIUM_PATIENCE_MS);
    await context.addInitScript(REPORT_VIOLATIONS);
    const opened = new DashboardPage(await context.newPage(), context, stack);
    opened.page.on('pageerror', ({ message }) => opened.complaints.push(message));
    opened.page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      opened.complaints.push(`${message.text()} ${message.location().url}`);
    });
    await opened.page.goto(`${stack.dashboardUrl}?login_hint=${DEMO_SUBJECTS.owner}`);
    await opened.page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    return opened;
  }

  /** @param path below the workspace, with its search. Resolves when nothing of the screen is loading. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.stack.dashboardUrl}w/${this.stack.workspaceId}/${path}`);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.untilLoaded();
  }

  async untilLoaded(): Promise<void> {
    await this.page.locator(LOADING).first().waitFor({ state: 'detached' });
  }

  /** Addresses of screens that the shown one leads to, below the workspace. */
  async links(): Promise<string[]> {
    const prefix = new URL(`${this.stack.dashboardUrl}w/${this.stack.workspaceId}/`).pathname;
    const addresses = await this.page
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    return addresses
      .filter((address) => address.startsWith(prefix))
      .map((address) => address.slice(prefix.length));
  }

  /** A page without frames is analysed where it is: putting the parts of frames together takes a page of its own. */
  private async violations() {
    const { page } = this;
    const isAlone = page.frames().length === 1;
    const isLoaded = isAlone && (await page.evaluate<boolean>("'axe' in globalThis"));
    const axe = new AxeBuilder(isLoaded ? { page, axeSource: LOADED } : { page });
    const { violations } = await axe.options(VIOLATIONS_ONLY).withTags(WCAG).setLegacyMode(isAlone).analyze();
    return violations;
  }

  /** What is wrong with the shown screen in one scheme at one width. */
  async faults(colorScheme: 'light' | 'dark', width: number): Promise<string[]> {
    const { page } = this;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: HEIGHT });
    const violations = isAnalysed(colorScheme, width) ? await this.violations() : [];
    const { overflow, text } = await page.evaluate<Shown>(SHOWN);
    const noValue = NO_VALUE.exec(text);
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`),
      ...(overflow > 0 ? [`scrolls sideways by ${overflow} pixels`] : []),
      ...(noValue === null
        ? []
        : [`shows ${noValue[0]}: …${text.slice(Math.max(0, noValue.index - 40), noValue.index + 40)}…`]),
      ...this.complaints.splice(0),
    ];
  }
}

/** The wide light screen and the narrow dark one: each scheme and each width once, because an analysis is dear. */
function isAnalysed(colorScheme: 'light' | 'dark', width: number): boolean {
  return (colorScheme === 'light') === width >= WIDE;
}
