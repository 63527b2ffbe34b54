/**
 * Like Promise.all, but waits for all of them before it throws the first failure: what starts processes side by side
 * must not go on starting them after somebody has been told that it failed.
 */
export async function settleAll<T extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(promises);
  return Promise.all(promises) as Promise<unknown> as Promise<T>;
}
