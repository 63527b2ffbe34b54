import { copyFileSync, existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const MAX_LOG_BYTES = 32 * 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;

/**
 * Bounds the logs of a long run: a log that is too large is copied to another file and truncated. Its writer
 * appends, so that it continues at the new end.
 */
export function boundLogs(folder: string): { stop: () => void } {
  const timer = setInterval(() => {
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.log'))) {
      const file = join(folder, name);
      if (statSync(file).size <= MAX_LOG_BYTES) continue;
      copyFileSync(file, `${file}.1`);
      truncateSync(file);
    }
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
