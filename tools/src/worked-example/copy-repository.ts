import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SCOPE = '@truetally';
const WORKSPACES = ['apps', 'libs'] as const;

/** Copies the repository with its builds; what is installed is linked, but for the repository's own packages. */
export function copyRepository(from: string, to: string): void {
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const listed = execFileSync('git', git, { cwd: from, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  for (const file of listed.split('\0').filter((name) => name !== '')) copy(from, to, file);
  for (const folder of WORKSPACES)
    for (const name of readdirSync(join(from, folder))) copy(from, to, join(folder, name, 'dist'));
  copy(from, to, join('tools', 'dist'));
  const installed = join(to, 'node_modules');
  mkdirSync(join(installed, SCOPE), { recursive: true });
  for (const name of readdirSync(join(from, 'node_modules')))
    if (name !== SCOPE) symlinkSync(join(from, 'node_modules', name), join(installed, name));
  for (const name of readdirSync(join(from, 'node_modules', SCOPE)))
    symlinkSync(readlinkSync(join(from, 'node_modules', SCOPE, name)), join(installed, SCOPE, name));
}

/** As `npm install` does for a new package of the repository. */
export function linkPackage(root: string, folder: string, name: string): void {
  symlinkSync(join('..', '..', folder, name), join(root, 'node_modules', SCOPE, name));
}

/** With its times, by which the compiler knows what has changed. */
function copy(from: string, to: string, path: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(from, path), join(to, path), { recursive: true, preserveTimestamps: true, force: true });
}
