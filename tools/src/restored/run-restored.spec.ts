import { expect, it, jest } from '@jest/globals';
import { runRestored } from './run-restored.js';

it.each([
  ['to', '2026-11-23T08:00:00Z'],
  ['margin-minutes', '5'],
  ['undone', 'undone.jsonl'],
])('a report that nothing was lost is refused with --%s, which it would leave out', async (name, value) => {
  const told = jest.spyOn(console, 'error').mockReturnValue(undefined);
  expect(await runRestored(['--nothing-lost', `--${name}`, value], {})).toBe(1);
  expect(told).toHaveBeenLastCalledWith(
    `Not done: --${name} belongs to a restore: either --to or --nothing-lost.`,
  );
});
