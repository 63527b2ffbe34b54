/** The servers that a run of tests starts. */
export interface NeededServers {
  readonly kafka: boolean;
  readonly postgres: boolean;
}

const OPTION = '--selectProjects';
const EVERYTHING: NeededServers = { kafka: true, postgres: true };

/** What tests of a kind need (jest.config.mjs). */
const BY_PROJECT: Readonly<Record<string, NeededServers>> = {
  pure: { kafka: false, postgres: false },
  stored: { kafka: false, postgres: true },
  product: EVERYTHING,
};

/** What Jest needs with these arguments: everything, unless they select projects that need less. */
export function neededServers(jestArguments: readonly string[]): NeededServers {
  const option = jestArguments.findIndex((argument) => argument === OPTION);
  if (option === -1) return EVERYTHING;
  const following = jestArguments.slice(option + 1);
  const end = following.findIndex((argument) => argument.startsWith('-'));
  const selected = end === -1 ? following : following.slice(0, end);
  const needs = selected.map((name) => BY_PROJECT[name] ?? EVERYTHING);
  return { kafka: needs.some(({ kafka }) => kafka), postgres: needs.some(({ postgres }) => postgres) };
}
