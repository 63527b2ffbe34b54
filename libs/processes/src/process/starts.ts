import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names a file to which each started process appends a line with its name, so that a test run can count them. The run
 * has a folder of such files: one for what all its suites share, and one for each suite (tools/suites/environment.mjs).
 */
export const STARTS_VARIABLE = 'TRUETALLY_STARTS_FILE';

/** The file of what a run's suites share. */
export const SHARED_STARTS = 'shared by all';

/** How often processes were started, by their name. */
export type Starts = ReadonlyMap<string, number>;

/** @param name a service's name, `Kafka`, `Postgres`, or what else a process is called */
export function countStart(name: string): void {
  const file = process.env[STARTS_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${name}\n`);
}

/** The starts of each suite by its file, as {@link startsFileOf} names it, also by processes that it has started. */
export function startsIn(folder: string): ReadonlyMap<string, Starts> {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(files.map((file) => [file, startsOf(readFileSync(join(folder, file), 'utf8'))]));
}

/** The name of the file with the starts of a suite. */
export function startsFileOf(suite: string): string {
  return suite.replaceAll('/', '+');
}

function startsOf(lines: string): Starts {
  const counts = new Map<string, number>();
  for (const name of lines.split('\n')) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
