import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { clearLeftovers } from './leftovers.js';

/** Postgres refuses to run as root, so root runs it as this user. */
const USER = 'postgres';
/** Where root copies what this user must reach, when the checkout is in a folder closed to it. */
const OPEN_PLACE = '/var/lib/truetally';
const STAND_IN = 'data-';
/** Names the original folder. */
const ORIGIN = 'origin';
const HASH_CHARACTERS = 16;

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account that Postgres runs under: null for the caller's own, a dedicated user for root. */
export function postgresAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  return find() ?? create();
}

/** The folder itself if the account can reach it, otherwise its substitute in a public place. */
export function reachableFolder(folder: string, account: Account | null): string {
  const place = standIn(folder, account);
  if (place === null) return folder;
  mkdirSync(place, { recursive: true, mode: 0o755 });
  writeFileSync(join(place, ORIGIN), folder);
  return join(place, 'data');
}

/** Removes the folder and its substitute. */
export function removeFolder(folder: string, account: Account | null): void {
  const place = standIn(folder, account);
  if (place !== null) rmSync(place, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Removes substitutes of folders that were deleted together with their parent. */
export async function removeOrphanedFolders(): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync(OPEN_PLACE)) return;
  for (const place of orphanedPlaces(OPEN_PLACE)) {
    await clearLeftovers(join(place, 'data'));
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Substitutes of deleted folders. Excludes those without the original's name, which another process is
 * creating or removing.
 */
export function orphanedPlaces(openPlace: string): readonly string[] {
  return readdirSync(openPlace)
    .filter((name) => name.startsWith(STAND_IN))
    .map((name) => join(openPlace, name))
    .filter((place) => {
      const origin = readOrigin(place);
      return origin !== null && !existsSync(dirname(origin));
    });
}

function readOrigin(place: string): string | null {
  const file = join(place, ORIGIN);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!existsSync(file)) return null;
    throw error;
  }
}

/**
 * Creates the folder with the account as its owner and closed to everyone else, as Postgres requires of its
 * data.
 */
export function makeOwnedFolder(folder: string, account: Account | null): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account !== null) chownSync(folder, account.uid, account.gid);
}

/** The installation, copied to where the account can run it if it cannot reach the original. */
export function reachableInstallation(folder: string, version: string, account: Account | null): string {
  if (account === null || isReachable(folder, account)) return folder;
  const copy = join(OPEN_PLACE, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  mkdirSync(OPEN_PLACE, { recursive: true, mode: 0o755 });
  const partial = `${copy}.${process.pid}`;
  cpSync(folder, partial, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(partial, copy);
  } catch (error) {
    // Another process was faster.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

function standIn(folder: string, account: Account | null): string | null {
  if (account === null || isReachable(folder, account)) return null;
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, HASH_CHARACTERS);
  return join(OPEN_PLACE, `${STAND_IN}${hash}`);
}

/** Asks the system: a folder is reachable when the account can enter the part of its path that exists. */
function isReachable(folder: string, account: Account): boolean {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  return spawnSync('test', ['-x', existing], { uid: account.uid, gid: account.gid }).status === 0;
}

function find(): Account | null {
  const ask = (flag: string): number =>
    Number(execFileSync('id', [flag, USER], { stdio: 'pipe' }).toString());
  try {
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    return null;
  }
}

function create(): Account {
  for (const [command, ...args] of [
    ['groupadd', '--system', USER],
    ['useradd', '--system', '--gid', USER, '--no-create-home', '--shell', '/usr/sbin/nologin', USER],
  ] as const) {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    const isThereAlready = status === 9;
    if (status !== 0 && !isThereAlready) {
      throw new Error(`Postgres does not run as root, and no user for it could be made: ${stderr}`);
    }
  }
  const account = find();
  if (account === null) throw new Error(`The user ${USER} was made, but the system does not know it`);
  return account;
}
