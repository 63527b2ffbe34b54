/** Text by key; never throws. */
export interface Store {
  get(key: string): string | null | undefined;
  /** Its words; none where there is no text. */
  wordsOf(key: string): readonly string[];
  set(key: string, value: string): void;
  remove(key: string): void;
  /** Keys with the prefix, sorted. */
  keys(prefix: string): readonly string[];
  /** Whether everything so far is where another visit finds it. */
  isLasting(): boolean;
}

/** What is used of `Storage`, besides its keys, which are its own properties. */
export type Backing = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const { keys: keysOf } = Object;

/**
 * What the browser refuses to store, or has no room for, is kept in memory: it lasts as long as the page.
 * @param isAllowed without it nothing is kept: who has waited for an answer does not know that the consent has gone
 */
export function openStore(backing: Backing | undefined, isAllowed: () => boolean): Store {
  const memory = new Map<string, string>();
  const get = (key: string): string | null | undefined =>
    memory.get(key) ?? attempt(() => backing?.getItem(key));
  return {
    get,
    wordsOf: (key) => get(key)?.split(' ') ?? [],
    set(key, value) {
      if (!isAllowed()) return;
      memory.set(key, value);
      if (backing)
        attempt(() => {
          backing.setItem(key, value);
          memory.delete(key);
        });
    },
    remove(key) {
      memory.delete(key);
      attempt(() => backing?.removeItem(key));
    },
    keys: (prefix) =>
      [...new Set([...memory.keys(), ...(attempt(() => keysOf(backing as Backing)) ?? [])])]
        .filter((key) => key.startsWith(prefix))
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
