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

it('a file for undone commands that cannot be written is said before anything is asked or done', async () => {
  const told = jest.spyOn(console, 'error').mockReturnValue(undefined);
  const nobody = { KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const parameters = ['--to', '2026-11-23T08:00:00Z', '--undone', 'no-such-folder/undone.jsonl'];
  expect(await runRestored(parameters, nobody)).toBe(1);
  expect(told).toHaveBeenLastCalledWith(
    expect.stringContaining("no such file or directory, open 'no-such-folder/undone.jsonl'"),
  );
});
