import { brokenParameters } from './broken-parameters.js';

type Search = Record<string, unknown>;

/**
 * A reader of an address that drops what it does not take, and reports it. The router keeps a name that a reader leaves out as
 * it came: so each of the names is there, without a value where it was broken.
 */
export function cleanSearch<T extends object>(
  names: readonly NoInfer<keyof T & string>[],
  read: (search: Search) => T,
): (search: Search) => T {
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  return (search) => reported(names, search, { ...none, ...read(search) });
}

/** Reads one choice of an address. */
export function readChoice<Name extends string, const Value extends string>(
  name: Name,
  values: readonly Value[],
) {
  type Choice = { readonly [key in Name]?: Value };
  return (search: Search): Choice => {
    const value = values.find((one) => one === search[name]);
    // Also without a value it is there: a broken one does not stay.
    return reported([name], search, { [name]: value } as Choice);
  };
}

function reported<T extends object>(names: readonly string[], search: Search, read: T): T {
  const taken = new Map<string, unknown>(Object.entries(read));
  brokenParameters.report(
    names.filter((name) => search[name] !== undefined && taken.get(name) === undefined),
  );
  return read;
}
