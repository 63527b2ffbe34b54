type Listener = () => void;

const listeners = new Set<Listener>();
let names: readonly string[] = [];

/** Names of an address that held something else than they take: the screen says which were left out. */
export const brokenParameters = {
  current: (): readonly string[] => names,

  report(broken: readonly string[]): void {
    if (broken.every((name) => names.includes(name))) return;
    change([...new Set([...names, ...broken])]);
  },

  forget(): void {
    if (names.length > 0) change([]);
  },

  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

function change(next: readonly string[]): void {
  names = next;
  // The router reads addresses while it renders, and nobody may be told of a change then.
  queueMicrotask(() => listeners.forEach((listener) => listener()));
}
