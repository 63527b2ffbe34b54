import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { ApiError, isSignInAway } from '../api/api-error.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { usePage } from '../session/page-context.js';

/** One question after each pause, however many answers are missing: the service is not stormed when it comes back. */
const PAUSE_MS = 5000;
const NO_ANSWER = 0;
const UNAVAILABLE = 503;

/** While the service is away: how old the shown data is. What is missing is asked for again once it answers. */
export function AwayBanner() {
  const { api } = usePage();
  const cache = useQueryClient();
  const subscribe = useCallback((tell: () => void) => cache.getQueryCache().subscribe(tell), [cache]);
  const isAway = useSyncExternalStore(subscribe, () => failedQueries(cache).length > 0);
  useEffect(() => {
    if (!isAway) return undefined;
    const asking = new AbortController();
    let timer = setTimeout(ask, PAUSE_MS);
    function ask(): void {
      api({ path: '/workspaces', query: { limit: 1 }, signal: asking.signal })
        .then(() => Promise.all(failedQueries(cache).map((query) => query.fetch())))
        .catch(() => undefined)
        .finally(() => {
          if (!asking.signal.aborted) timer = setTimeout(ask, PAUSE_MS);
        });
    }
    return () => {
      asking.abort();
      clearTimeout(timer);
    };
  }, [api, cache, isAway]);
  if (!isAway) return null;
  const what = failedQueries(cache).some(({ state }) => isSignInAway(state.error))
    ? 'Your sign-in has ended, and the issuer that renews it cannot be reached.'
    : 'The service cannot be reached.';
  const newest = Math.max(...queriesOf(cache).map(({ state }) => state.dataUpdatedAt));
  return (
    <div className={`${style['notice']} ${style['bad']}`} role="status">
      <p>
        <strong>{what}</strong>{' '}
        {newest > 0 && (
          <>
            What is shown is as of{' '}
            <Instant
              at={new Date(newest).toISOString()}
              zone={Intl.DateTimeFormat().resolvedOptions().timeZone}
            />
            .{' '}
          </>
        )}
        It is asked again every few seconds, and the screen goes on by itself.
      </p>
    </div>
  );
}

function queriesOf(cache: QueryClient) {
  return cache.getQueryCache().getAll();
}

/** Those of the shown screen that found nobody. */
function failedQueries(cache: QueryClient) {
  return queriesOf(cache).filter((query) => {
    const { error } = query.state;
    return (
      error instanceof ApiError &&
      (error.status === NO_ANSWER || error.status === UNAVAILABLE) &&
      query.isActive()
    );
  });
}
