import { useCallback, useEffect, useRef, useState } from 'react';

const LOCK = 'truetally:live';

/**
 * One live stream of a browser: six connections close HTTP/1.1 for all of its tabs. A tab without it waits until it
 * is free, or takes it.
 */
export function useOneStream(isWanted: boolean) {
  const [isHeld, setHeld] = useState(false);
  const [isElsewhere, setElsewhere] = useState(false);
  const [asks, setAsks] = useState(0);
  const isTaking = useRef(false);
  useEffect(() => {
    if (!isWanted) return;
    const leaving = new AbortController();
    void hold(leaving.signal, isTaking.current, (held) => {
      setHeld(held);
      setElsewhere(!held && !leaving.signal.aborted);
    });
    isTaking.current = false;
    return () => {
      leaving.abort();
      setHeld(false);
      setElsewhere(false);
    };
  }, [isWanted, asks]);
  /** Takes it from whoever has it. */
  const take = useCallback(() => {
    isTaking.current = true;
    setAsks((count) => count + 1);
  }, []);
  return { isHeld, isElsewhere, take };
}

/** Holds the lock until the signal, again and again: another tab may take it. */
async function hold(signal: AbortSignal, isTaken: boolean, onChange: (isHeld: boolean) => void) {
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const keep = async (lock: Lock | null): Promise<void> => {
    onChange(lock !== null && !signal.aborted);
    if (lock !== null) await left;
  };
  // The first try tells whether another tab has it.
  await navigator.locks
    .request(LOCK, isTaken ? { steal: true } : { ifAvailable: true }, keep)
    .catch(() => onChange(false));
  while (!signal.aborted) {
    await navigator.locks.request(LOCK, { signal }, keep).catch(() => onChange(false));
  }
}
