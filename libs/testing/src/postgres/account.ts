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
/** Where root puts what this user must reach, when the checkout lies in a folder that is closed to it. */
const OPEN_PLACE = '/var/lib/truetally';
const STAND_IN = 'data-';
/** Names the folder that is stood in for. */
const ORIGIN = 'origin';
const HASH_CHARACTERS = 16;

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account that Postgres runs under: null for one's own, a user made for it when we are root. */
export function postgresAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  return find() ?? create();
}

/** The folder itself when the account can reach it, otherwise one in an open place that stands for it. */
export function reachableFolder(folder: string, account: Account | null): string {
  const place = standIn(folder, account);
  if (place === null) return folder;
  mkdirSync(place, { recursive: true, mode: 0o755 });
  writeFileSync(join(place, ORIGIN), folder);
  return join(place, 'data');
}

/** Removes the folder, and what stands for it. */
export function removeFolder(folder: string, account: Account | null): void {
  const place = standIn(folder, account);
  if (place !== null) rmSync(place, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Removes what stood for folders that are gone together with the folder around them. */
export async function removeOrphanedFolders(): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync(OPEN_PLACE)) return;
  for (const place of orphanedPlaces(OPEN_PLACE)) {
    await clearLeftovers(join(place, 'data'));
    rmSync(place, { recursive: true, force: true });
  }
}

/** The folders that stand for one that is gone; not those that do not name it, being made or removed by another. */
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

/** Makes the folder, belonging to the account and closed to everybody else, as Postgres asks of its data. */
export function makeOwnedFolder(folder: string, account: Account | null): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account !== null) chownSync(folder, account.uid, account.gid);
}

/** The installation, copied once to where the account can run it when it cannot reach the original. */
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

/** Asks the system itself: a folder counts as reachable when the account can enter the part of it that exists. */
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
