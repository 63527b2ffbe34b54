/**
 * A merge patch (RFC 7396) that makes the first object the second: everything of the second, and null for what it has
 * no longer. The members that it names are exactly those that are shown.
 */
export function replacingPatch(before: object, after: object): object {
  const old = new Map<string, unknown>(Object.entries(before));
  const kept = Object.entries(after).map(([name, value]) => {
    const former = old.get(name);
    old.delete(name);
    return [name, isObject(former) && isObject(value) ? replacingPatch(former, value) : value];
  });
  const gone = [...old.keys()].map((name) => [name, null]);
  return Object.fromEntries([...kept, ...gone]) as object;
}

/** Where two values differ, by path, as text; what one of them does not have is empty. */
export function differences(
  mine: unknown,
  theirs: unknown,
  path = '',
): readonly { readonly path: string; readonly mine: string; readonly theirs: string }[] {
  if (isObject(mine) && isObject(theirs)) {
    const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
    const left = new Map<string, unknown>(Object.entries(mine));
    const right = new Map<string, unknown>(Object.entries(theirs));
    return [...names].flatMap((name) =>
      differences(left.get(name), right.get(name), path === '' ? name : `${path}.${name}`),
    );
  }
  const [own, other] = [textOf(mine), textOf(theirs)];
  return own === other ? [] : [{ path, mine: own, theirs: other }];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
