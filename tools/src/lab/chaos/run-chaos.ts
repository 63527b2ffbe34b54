import { parseArgs } from 'node:util';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { type AreaName, AREAS } from './areas.js';
import type { Pace } from './scenario.js';

/** Without a named one. */
const USUAL: AreaName = 'faults';
const ANSWERS = 500;
const OPTIONS = { answers: { type: 'string', default: String(ANSWERS) } } as const;
const FAILED = 1;
const USAGE = 2;

/**
 * `npm run chaos`: an area (`AREAS`), whole or the rows with one of the given name prefixes.
 * @param parameters the area's name, names, and `--answers <n>`: how many between two steps of a fault
 * @returns the exit code
 */
export async function runChaos(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [first, ...rest] = positionals;
  const [area, begins] = isArea(first) ? [AREAS[first], rest] : [AREAS[USUAL], positionals];
  const isChosen = ({ name }: { readonly name: string }): boolean =>
    begins.length === 0 || begins.some((begin) => name.startsWith(begin));
  if (!area.rows.some(isChosen)) {
    const lists = Object.entries(AREAS).map(
      ([name, { rows }]) => `${name}: ${rows.map((row) => row.name).join(', ')}`,
    );
    console.error(`Name an area, and some of its rows:\n${lists.join('\n')}`);
    return USAGE;
  }
  const pace: Pace = { answers: Number(values.answers), services: SERVICE_NAMES };
  return (await area.run(isChosen, pace)) ? 0 : FAILED;
}

function isArea(name: string | undefined): name is AreaName {
  return name !== undefined && Object.hasOwn(AREAS, name);
}
