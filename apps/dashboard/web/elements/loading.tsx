import { useEffect, useState } from 'react';
import style from './elements.module.css';

/** In which somebody who looks at an empty page is told what it waits for. */
export const PATIENCE_MS = 8_000;

/** The shape of what is awaited, which says so in the end. */
export function Loading() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={style['loading']} role="status" aria-label="Loading">
      {isLate && <p>The service has not answered yet. This page still waits for it.</p>}
    </div>
  );
}
