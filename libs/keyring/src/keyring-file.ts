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

/** How a keyring file is watched; default interval: `KEYRING_POLL_INTERVAL_MS`. */
export interface KeyringFileOptions {
  /** A changed file was read and is in use. */
  readonly onChanged?: (keyring: Keyring) => void;
  /** A changed file was refused; the previous ring stays in use. Called a single time per change. */
  readonly onRefused?: (fault: string) => void;
  readonly pollIntervalMs?: number;
}

/** A running process reads a change of its keyring within this time. */
export const KEYRING_POLL_INTERVAL_MS = 1_000;
const MAX_FILE_BYTES = 64 * 1024;
/** Others have no access, and the group cannot write: orchestrators mount secrets readable by a group. */
const FORBIDDEN_MODE_BITS = 0o027;
const PRIVATE_MODE = 0o600;

/** A keyring in a file that is reread whenever it changes. */
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

  /** @throws Error describing the fault of the file, never its content */
  static open(path: string, options: KeyringFileOptions = {}): KeyringFile {
    // In this order, so that a change in between is noticed.
    const seen = stateOf(path);
    return new KeyringFile(path, seen, new Keyring(readKeyringFile(path)), options);
  }

  /** The current ring: read this at each use. */
  get keyring(): Keyring {
    return this.ring;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Polls the file's state, because mounted secrets and network file systems send no notifications. */
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

  /**
   * Not recorded as seen: a file that could not be opened for lack of handles may be readable a second later.
   */
  private refuse(state: string, fault: string): void {
    const refused = `${state} ${fault}`;
    if (refused === this.refused) return;
    this.refused = refused;
    this.options.onRefused?.(fault);
  }
}

/** @throws Error describing the fault of the file, never its content */
export function readKeyringFile(path: string): KeyringContent {
  const read = tryRead(path);
  if (!read.ok) throw new Error(`The keyring ${path} ${read.error}.`);
  return read.value;
}

/**
 * Replaces the file atomically, readable by its owner only: a reader sees the old ring or the new one. The
 * data is on disk when this returns, because losing a key loses everything that it sealed.
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
    // Of the opened file: its path may name another one by now.
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

/** Differs after every change of the file, including a rename over it. */
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
