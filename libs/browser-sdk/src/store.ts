/** Text of a site by key; never throws. */
export interface Store {
  read(key: string): string | null | undefined;
  /** Its words; none where there is no text. */
  wordsOf(key: string): readonly string[];
  write(key: string, value: string): void;
  forget(key: string): void;
  /** Keys that begin so, sorted. */
  keysWith(start: string): readonly string[];
  /** Whether everything so far is where another visit finds it. */
  isLasting(): boolean;
}

/** What is used of `Storage`, besides its keys, which are its own properties. */
export type Backing = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const { keys: keysOf } = Object;

/**
 * What the browser refuses to store, or has no room for, is kept in memory: it lasts as long as the page.
 * @param prefix of the site's keys in the browser's storage
 * @param isAllowed without it nothing is kept: who has waited for an answer does not know that the consent has gone
 */
export function openStore(backing: Backing | undefined, prefix: string, isAllowed: () => boolean): Store {
  const memory = new Map<string, string>();
  const read = (key: string): string | null | undefined =>
    memory.get(prefix + key) ?? attempt(() => backing?.getItem(prefix + key));
  return {
    read,
    wordsOf: (key) => read(key)?.split(' ') ?? [],
    write(key, value) {
      if (!isAllowed()) return;
      memory.set(prefix + key, value);
      if (backing)
        attempt(() => {
          backing.setItem(prefix + key, value);
          // What stands in for the browser's own may take a text and keep, or show, none.
          if (prefix + key in backing) memory.delete(prefix + key);
        });
    },
    forget(key) {
      memory.delete(prefix + key);
      attempt(() => backing?.removeItem(prefix + key));
    },
    keysWith: (start) =>
      [...new Set([...memory.keys(), ...(attempt(() => keysOf(backing as Backing)) ?? [])])]
        .filter((key) => key.startsWith(prefix + start))
        .map((key) => key.slice(prefix.length))
        .sort(),
    isLasting: () => !!backing && !memory.size,
  };
}

/** What is used may throw at any time. */
export function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
