import { type ReactNode, useEffect, useState } from 'react';
import { timeLeft } from '../domain/time-left.js';

const SECOND_MS = 1000;

/** Shows how long it is until then, each second; and from then on what is so afterwards. */
export function Countdown({
  endMs,
  ended,
  children,
}: {
  readonly endMs: number;
  readonly ended: ReactNode;
  readonly children: (left: string) => ReactNode;
}) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isOver = nowMs >= endMs;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  return isOver ? ended : children(timeLeft(endMs - nowMs));
}
