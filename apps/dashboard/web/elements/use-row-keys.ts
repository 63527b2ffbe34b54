import { type RefObject, useEffect, useRef } from 'react';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const STOPS = 'a[href], summary, button:not(:disabled)';

/**
 * Arrow keys go from what has the focus in a row to the same of the next row, or the one before. Where that is gone with what was
 * pressed, as a row that was deleted, the list has the focus: whoever goes on by keyboard would begin the page anew.
 */
export function useRowKeys<T extends HTMLElement>(): RefObject<T | null> {
  const place = useRef<T>(null);
  const last = useRef<EventTarget>(null);
  useEffect(() => {
    const isGone = last.current instanceof Node && !last.current.isConnected;
    if (isGone && document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  });
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
    const note = ({ target }: FocusEvent): void => {
      last.current = target;
    };
    element.addEventListener('keydown', move);
    element.addEventListener('focusin', note);
    return () => {
      element.removeEventListener('keydown', move);
      element.removeEventListener('focusin', note);
    };
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
