import { join } from 'node:path';
import { ManagedProcess, NODE_BINARY, programEnvironment, REPOSITORY_ROOT } from '@truetally/processes';

const TAIL_LINES = 3;

/** A program of the tools, as an operator runs it. */
export interface ToolRun {
  /** `ledger-verify` for example. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** @returns what is wrong, with its last lines; undefined when it ended with 0 */
export async function runTool({ command, args = [], env }: ToolRun): Promise<string | undefined> {
  const running = await ManagedProcess.start({
    name: command,
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'tools', 'dist', `${command}.js`), ...args],
    env: { ...programEnvironment(), ...env },
    cwd: REPOSITORY_ROOT,
  });
  const { code } = await running.exited;
  return code === 0 ? undefined : `${command} ends with ${code}: ${running.tail(TAIL_LINES)}`;
}
