import { useSyncExternalStore } from 'react';

/** Whether the reader can see the page: what only serves the eye ends while it is hidden. */
export function useShown(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      document.addEventListener('visibilitychange', onChange);
      return () => document.removeEventListener('visibilitychange', onChange);
    },
    () => document.visibilityState === 'visible',
  );
}
