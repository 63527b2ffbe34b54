import { type RefObject, useEffect, useRef } from 'react';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const STOPS = 'a[href], summary, button:not(:disabled)';

/** Arrow keys go from what has the focus in a row to the same of the next row, or the one before. */
export function useRowKeys<T extends HTMLElement>(): RefObject<T | null> {
  const place = useRef<T>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const move = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      const next = step === undefined ? undefined : stopBeside(event.target, step);
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    };
    element.addEventListener('keydown', move);
    return () => element.removeEventListener('keydown', move);
  }, []);
  return place;
}

function stopBeside(target: EventTarget | null, step: number): HTMLElement | undefined {
  const cell = target instanceof Element && target.matches(STOPS) ? target.closest('td') : null;
  const table = cell?.closest('tbody');
  if (cell === null || table === null || table === undefined) return undefined;
  const rows = [...table.rows];
  for (let at = rows.findIndex((row) => row.contains(cell)) + step; at in rows; at += step) {
    const stop = rows[at]?.cells[cell.cellIndex]?.querySelector<HTMLElement>(STOPS);
    // A row without it, as a gap is, is passed over.
    if (stop !== undefined && stop !== null) return stop;
  }
  return undefined;
}
