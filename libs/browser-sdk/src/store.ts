/** Text by key; never throws. */
export interface Store {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  remove(key: string): void;
  /** Keys with the prefix, sorted. */
  keys(prefix: string): readonly string[];
  /** Whether everything so far is where another visit finds it. */
  isLasting(): boolean;
}

/** What is used of `Storage`. */
export type Backing = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** What the browser refuses to store, or has no room for, is kept in memory: it lasts as long as the page. */
export function openStore(backing: Backing | undefined): Store {
  const memory = new Map<string, string>();
  return {
    get(key) {
      return memory.get(key) ?? attempt(() => backing?.getItem(key)) ?? undefined;
    },
    set(key, value) {
      memory.set(key, value);
      attempt(() => {
        if (!backing) return;
        backing.setItem(key, value);
        memory.delete(key);
      });
    },
    remove(key) {
      memory.delete(key);
      attempt(() => backing?.removeItem(key));
    },
    keys(prefix) {
      const found = new Set(memory.keys());
      attempt(() => {
        const count = backing?.length ?? 0;
        for (let index = 0; index < count; index += 1) found.add(backing?.key(index) ?? '');
      });
      return [...found].filter((key) => key.startsWith(prefix)).sort();
    },
    isLasting: () => Boolean(backing) && memory.size === 0,
  };
}

function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
