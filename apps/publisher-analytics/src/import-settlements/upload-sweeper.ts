import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Uploads } from './read-upload.js';

const EVERY_MS = 3_600_000;
/** Operators notice a job that could not read its upload long before. */
const KEEP_MS = 7 * 86_400_000;

/** Removes abandoned uploads. */
export function sweepUploads(uploads: Uploads, log: Pick<Logger, 'warn'>): Repetition {
  const failure = 'Old uploads could not be removed; it is tried again.';
  return repeatedly({ everyMs: EVERY_MS, log, failure }, () => uploads.removeBefore(Date.now() - KEEP_MS));
}
