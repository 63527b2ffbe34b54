import { useEffect, useReducer, useState } from 'react';

/**
 * State for a secret, which leaves nothing behind. React keeps the state before the last rendering in memory, so that
 * one more rendering follows the one without it.
 */
export function useSecret<T>() {
  const [secret, setSecret] = useState<T>();
  const [, renderAgain] = useReducer((times: number) => times + 1, 0);
  const isGone = secret === undefined;
  useEffect(() => {
    if (isGone) renderAgain();
  }, [isGone]);
  return [secret, setSecret] as const;
}
