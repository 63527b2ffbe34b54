import { idOf } from './event-search.js';

/** Ids of an address by the names of the API; a broken one falls away. */
export function readIds<Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): { readonly [key in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const id = idOf(search[name]);
        return id === undefined ? [] : [[name, id] as const];
      }),
    ) as { readonly [key in Name]?: string };
}
