/**
 * Like Promise.all, but waits for all of them before it throws the first failure: starts of processes must
 * not continue after their caller got an error.
 */
export async function settleAll<T extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(promises);
  return Promise.all(promises) as Promise<unknown> as Promise<T>;
}
