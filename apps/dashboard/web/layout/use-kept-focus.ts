import { useEffect, useRef } from 'react';

/** A form that follows the address is made anew by it: what had the focus when it was sent has it again. */
export function useKeptFocus(key: string) {
  const form = useRef<HTMLFormElement>(null);
  const place = useRef(-1);
  useEffect(() => {
    const field = form.current?.elements[place.current];
    place.current = -1;
    if (document.activeElement === document.body && field instanceof HTMLElement) field.focus();
  }, [key]);
  const keepFocus = (): void => {
    place.current = [...(form.current?.elements ?? [])].findIndex((one) => one === document.activeElement);
  };
  return { form, keepFocus };
}
