import { lazyRouteComponent } from '@tanstack/react-router';

const PATIENCE_MS = 10_000;

/** Whether the page itself would be served now. */
export async function isPageServed(): Promise<boolean> {
  const asked = fetch('/dashboard/config.json', { signal: AbortSignal.timeout(PATIENCE_MS) });
  return asked.then(({ ok }) => ok).catch(() => false);
}

/**
 * A screen whose code comes when it is opened. The router asks for the page again where code is missing, by how the error
 * begins, because of a new release: a page that is asked for while nobody serves it is gone, with all that was typed.
 */
export const lazyScreen: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (missing: unknown) => {
        if (await isPageServed()) throw missing;
        throw new Error(
          navigator.onLine ? 'The dashboard’s server cannot be reached.' : 'The browser is offline.',
        );
      }),
    name,
  );
