import { type RefObject, useEffect, useRef } from 'react';

/** What comes in the place of a control that was pressed has its focus: whoever goes on by keyboard would begin the page anew. */
export function useLostFocus<T extends HTMLElement>(): RefObject<T | null> {
  const place = useRef<T>(null);
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, []);
  return place;
}
