import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Names a file to which each started process appends a line with its name, so that a test run can count them. */
export const STARTS_VARIABLE = 'TRUETALLY_STARTS_FILE';

/** @param name a service's name, `Kafka`, `Postgres`, or what else a process is called */
export function countStart(name: string): void {
  const file = process.env[STARTS_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${name}\n`);
}

/** How often a process of each name was started, also by processes that were started with this environment. */
export function startsIn(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(file)) return counts;
  const names = readFileSync(file, 'utf8').split('\n');
  for (const name of names) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
