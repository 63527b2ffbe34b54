import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const STARTS_VARIABLE = 'TRUETALLY_STARTS_FILE';
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * What surrounds a suite: the worker's own globals (run-suite.mjs). What the suite changes of them is put back. What it
 * starts, and what that starts, is counted as its own (libs/processes, starts.ts).
 */
export default class OneRealm {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;

  constructor({ projectConfig }, { testPath }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.suite = relative(ROOT, testPath).replaceAll('/', '+');
    this.before = { environment: { ...process.env }, console, exit: process.exit };
  }

  /** Jest asks each environment for one. */
  getVmContext() {
    return null;
  }

  setup() {
    const file = process.env[STARTS_VARIABLE];
    if (file !== undefined) process.env[STARTS_VARIABLE] = join(dirname(file), this.suite);
    return Promise.resolve();
  }

  teardown() {
    const { environment, exit } = this.before;
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.useRealTimers();
    globalThis.console = this.before.console;
    process.exit = exit;
    for (const name of Object.keys(process.env))
      if (!(name in environment)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
    return Promise.resolve();
  }
}
