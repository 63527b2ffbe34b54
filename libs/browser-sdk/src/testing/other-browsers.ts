import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { eventually, freePort } from '@truetally/testing';

/** What a suite needs of a browser that is not Chromium. */
export interface OtherBrowser {
  visit(url: string): Promise<void>;
  evaluate<Value>(expression: string): Promise<Value>;
  close(): Promise<void>;
}

/**
 * WebKit, where this machine has Debian's driver of it and a display to draw on.
 * @param searchPath folders of programs
 */
export function otherBrowsers(
  searchPath: string,
): readonly (readonly [string, () => Promise<OtherBrowser>])[] {
  const folders = searchPath.split(delimiter);
  const [driver, display] = ['WebKitWebDriver', 'xvfb-run'].map((program) =>
    folders.map((folder) => join(folder, program)).find(isProgram),
  );
  return driver && display ? [['WebKit', () => openWebKit(driver)]] : [];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

/** By WebDriver, in a display of its own, because WebKitGTK has no mode without one. */
async function openWebKit(driver: string): Promise<OtherBrowser> {
  const port = await freePort();
  const program = ['-a', driver, `--port=${port}`];
  const process: ChildProcess = spawn('xvfb-run', program, { stdio: 'ignore', detached: true });
  const ask = async (path: string, body?: object, method = 'POST'): Promise<unknown> => {
    const content = method === 'POST' ? JSON.stringify(body ?? {}) : null;
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, body: content });
    const { value } = (await response.json()) as { readonly value: unknown };
    if (!response.ok) throw new Error(JSON.stringify(value));
    return value;
  };
  const options = { binary: MINI_BROWSER, args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const { sessionId } = await eventually(async () => {
    return (await ask('', { capabilities }).catch(() => undefined)) as { sessionId: string } | undefined;
  });
  const inSession = `/${sessionId}`;
  return {
    visit: async (url) => void (await ask(`${inSession}/url`, { url })),
    evaluate: async <Value>(expression: string) => {
      const script = `const done = arguments[0]; Promise.resolve(${expression}).then(done)`;
      return (await ask(`${inSession}/execute/async`, { script, args: [] })) as Value;
    },
    close: async () => {
      await ask(inSession, undefined, 'DELETE').catch(() => undefined);
      if (process.pid !== undefined) globalThis.process.kill(-process.pid);
    },
  };
}
