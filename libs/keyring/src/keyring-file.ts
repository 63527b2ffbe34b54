import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fail, type Result } from '@truetally/kernel';
import { Keyring } from './keyring.js';
import { type KeyringContent, parseKeyring } from './keyring-content.js';

export interface KeyringFileOptions {
  /** A changed file was read and is in force. */
  readonly onChanged?: (keyring: Keyring) => void;
  /** A changed file was refused; the ring before it stays in force. Told once per change. */
  readonly onRefused?: (fault: string) => void;
  readonly pollIntervalMs?: number;
}

/** Within this time a process that runs has read a change of its keyring. */
export const KEYRING_POLL_INTERVAL_MS = 1_000;
const MAX_FILE_BYTES = 64 * 1024;
/** Others have no access, and the group no write access: an orchestrator mounts secrets readable by a group. */
const FORBIDDEN_MODE_BITS = 0o027;
const PRIVATE_MODE = 0o600;

/** A keyring in a file, read again whenever the file changes. */
export class KeyringFile {
  private readonly timer: NodeJS.Timeout;
  private refused: string | undefined;

  private constructor(
    private readonly path: string,
    private seen: string,
    private ring: Keyring,
    private readonly options: KeyringFileOptions,
  ) {
    this.timer = setInterval(() => this.look(), options.pollIntervalMs ?? KEYRING_POLL_INTERVAL_MS);
    this.timer.unref();
  }

  /** @throws Error saying what is wrong with the file, never what it holds */
  static open(path: string, options: KeyringFileOptions = {}): KeyringFile {
    // In this order: a change in between is then seen as one.
    const seen = stateOf(path);
    return new KeyringFile(path, seen, new Keyring(readKeyringFile(path)), options);
  }

  /** The ring in force: asked for anew at each use. */
  get keyring(): Keyring {
    return this.ring;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** By the file's state and not by notifications, which a mounted secret or a network's file system do not give. */
  private look(): void {
    const state = stateOf(this.path);
    if (state === this.seen) return;
    const read = tryRead(this.path);
    if (!read.ok) return this.refuse(state, read.error);
    const ring = new Keyring(read.value);
    if (!ring.matchesAs(this.ring)) return this.refuse(state, 'has another matching_key');
    this.seen = state;
    this.refused = undefined;
    this.ring = ring;
    this.options.onChanged?.(ring);
  }

  /** Not taken for seen: what could not be read for want of a file handle can be read a second later. */
  private refuse(state: string, fault: string): void {
    const refused = `${state} ${fault}`;
    if (refused === this.refused) return;
    this.refused = refused;
    this.options.onRefused?.(fault);
  }
}

/** @throws Error saying what is wrong with the file, never what it holds */
export function readKeyringFile(path: string): KeyringContent {
  const read = tryRead(path);
  if (!read.ok) throw new Error(`The keyring ${path} ${read.error}.`);
  return read.value;
}

/**
 * Replaces the file at one stroke and lets nobody but its owner read it: a reader sees the old ring or the new. It is
 * on the disk when this returns, because what a lost key sealed is lost too.
 */
export function writeKeyringFile(path: string, content: KeyringContent): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: PRIVATE_MODE, flush: true });
  renameSync(temporary, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function tryRead(path: string): Result<KeyringContent, string> {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    // Of the file that was opened: at its path another one may stand by now.
    const { mode, size } = fstatSync(file);
    if ((mode & FORBIDDEN_MODE_BITS) !== 0) {
      return fail(
        `has mode ${(mode & 0o777).toString(8)}: others must have no access, and its group no write access`,
      );
    }
    if (size > MAX_FILE_BYTES) return fail(`is larger than ${MAX_FILE_BYTES} bytes`);
    return parseKeyring(readFileSync(file, 'utf8'));
  } catch (error) {
    return fail(`cannot be read (${codeOf(error)})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Another text for every change of the file, also by renaming another one into its place. */
function stateOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : 'unknown error';
}
