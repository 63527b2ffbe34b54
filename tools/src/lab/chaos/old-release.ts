import { execFile, execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

/** A build of the last release of this repository. */
export interface OldRelease {
  readonly commit: string;
  readonly root: string;
  remove(): void;
}

const SCOPE = '@truetally';
/** Release tags, newest version first. */
const RELEASES = ['tag', '--list', 'v[0-9]*.[0-9]*.[0-9]*', '--sort=-version:refname', '--merged', 'HEAD'];

const run = promisify(execFile);

/**
 * Builds the last release beside the repository: with the packages installed here, and its own libraries. Before the
 * first release nothing is owed to an older one, and the current commit replaces itself.
 */
export async function buildOldRelease(folder: string): Promise<OldRelease> {
  const [release = 'HEAD'] = git(...RELEASES);
  const [commit = ''] = git('rev-parse', '--short', `${release}^{commit}`);
  const root = join(folder, 'old-release');
  git('worktree', 'add', '--detach', root, commit);
  linkPackages(join(REPOSITORY_ROOT, 'node_modules'), join(root, 'node_modules'));
  // Its own command: what a service serves, such as the browser SDK, is not compiled but bundled.
  const env = { ...process.env, PATH: `${dirname(NODE_BINARY)}${delimiter}${process.env.PATH ?? ''}` };
  await run('npm', ['run', 'build'], { cwd: root, env });
  return { commit, root, remove: () => git('worktree', 'remove', '--force', root) };
}

/** Everything is at the same place as here, except the repository's own files. */
function linkPackages(from: string, to: string): void {
  mkdirSync(join(to, SCOPE), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== SCOPE) symlinkSync(join(from, name), join(to, name));
  }
  const root = join(to, '..');
  for (const name of readdirSync(join(from, SCOPE))) {
    const path = join(from, SCOPE, name);
    if (!lstatSync(path).isSymbolicLink()) continue;
    const inRepository = realpathSync(path).slice(realpathSync(REPOSITORY_ROOT).length + 1);
    symlinkSync(join(root, inRepository), join(to, SCOPE, name));
  }
}

function git(...parameters: readonly string[]): readonly string[] {
  const text = execFileSync('git', parameters, { cwd: REPOSITORY_ROOT, encoding: 'utf8', stdio: 'pipe' });
  return text.split('\n').filter((line) => line !== '');
}
