import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Problem } from '../elements/problem.js';
import { isPageServed } from './lazy-screen.js';
import { Screen } from './screen.js';

/** In place of a screen whose code cannot be had, or that has failed: everything around it stays. */
export function ScreenFailed({ error }: ErrorComponentProps) {
  const [tried, setTried] = useState(0);
  const retry = async (): Promise<void> => {
    // A page that is asked for while nobody serves it is gone.
    if (await isPageServed()) location.reload();
    else setTried((times) => times + 1);
  };
  // Its code may have been missing because the browser was offline.
  useEffect(() => {
    const goOn = (): void => void retry();
    addEventListener('online', goOn);
    return () => removeEventListener('online', goOn);
  }, []);
  return (
    <Screen title="This screen cannot be shown">
      <Problem error={error} onRetry={() => void retry()} />
      <p role="status">
        {tried > 0 && `There is still no answer, tried again ${tried === 1 ? 'once' : `${tried} times`}.`}
      </p>
    </Screen>
  );
}
