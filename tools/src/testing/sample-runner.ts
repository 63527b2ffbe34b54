import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_BINARY, programEnvironment, REPOSITORY_ROOT } from '@truetally/testing';
import type { Sample } from '../guides/samples.js';

const run = promisify(execFile);
const SHELL: readonly string[] = ['sh', 'bash'];
const NODE: readonly string[] = ['js', 'ts'];
const TIMEOUT_MS = 120_000;
/** As the reader's `curl`, whose status is 0 also when it is refused; but it notes refusals that no `-f` expects. */
const CURL = `#!/bin/sh
PATH="\${PATH#*:}"
for argument; do
  case "$argument" in -sf | --fail*) exec curl --max-time 60 "$@" ;; esac
done
curl --fail-with-body --max-time 60 "$@"
status=$?
[ $status = 22 ] || exit $status
echo "$*" >>"\${0%/*}/refused"
`;

/** What a page is tried with. */
export interface Surroundings {
  /** `.local/stack.json`, as a local stack writes it. */
  readonly stack: object;
  readonly environment: Readonly<Record<string, string>>;
  /** Addresses that a page can only give as examples, and what they are here. */
  readonly replaced: Readonly<Record<string, string>>;
}

/**
 * A project of a reader: the stack's description, the installed packages, and a `curl` that notes when it is refused.
 * Blocks of one page and language are one program, because they build on each other.
 */
export class SampleRunner {
  private constructor(
    private readonly folder: string,
    private readonly surroundings: Surroundings,
  ) {}

  static open(surroundings: Surroundings): SampleRunner {
    const folder = mkdtempSync(join(tmpdir(), 'truetally-samples-'));
    mkdirSync(join(folder, '.local'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, '.local', 'stack.json'), JSON.stringify(surroundings.stack));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    symlinkSync(join(REPOSITORY_ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'bin', 'curl'), CURL, { mode: 0o755 });
    return new SampleRunner(folder, surroundings);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @returns what the page's commands and programs have written @throws Error when one of them fails */
  async run(samples: readonly Sample[]): Promise<string> {
    const shell = textOf(samples, SHELL);
    const program = textOf(samples, NODE);
    const outputs: string[] = [];
    const refused = join(this.folder, 'bin', 'refused');
    rmSync(refused, { force: true });
    if (shell !== '')
      outputs.push(await this.execute('bash', ['-euo', 'pipefail', this.file('page.sh', shell)]));
    if (existsSync(refused))
      throw new Error(`Refused: ${readFileSync(refused, 'utf8')}${outputs.join('\n')}`);
    if (program !== '') outputs.push(await this.execute(NODE_BINARY, [this.file('page.mts', program)]));
    return outputs.join('\n');
  }

  private file(name: string, text: string): string {
    const file = join(this.folder, name);
    const { replaced } = this.surroundings;
    const here = Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    writeFileSync(file, here);
    return file;
  }

  private async execute(command: string, args: readonly string[]): Promise<string> {
    const environment: Readonly<Record<string, string | undefined>> = programEnvironment();
    const path = [
      join(this.folder, 'bin'),
      dirname(NODE_BINARY),
      environment['PATH'] ?? process.env['PATH'],
    ].join(':');
    const env = { ...environment, ...this.surroundings.environment, PATH: path };
    const { stdout, stderr } = await run(command, args, { cwd: this.folder, env, timeout: TIMEOUT_MS }).catch(
      (error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
        throw new Error(`${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`);
      },
    );
    return stdout + stderr;
  }
}

/** With empty lines between, so that an error's line is near the page's. */
function textOf(samples: readonly Sample[], languages: readonly string[]): string {
  return samples
    .filter(({ language, marker }) => languages.includes(language) && marker === undefined)
    .map(({ text }) => text)
    .join('\n\n');
}
