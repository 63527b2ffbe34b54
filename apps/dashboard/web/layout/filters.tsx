import { useNavigate } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import style from '../elements/filters.module.css';
import { useKeptFocus } from './use-kept-focus.js';

/** A form whose fields stand in the address under their names; an empty one leaves it. */
export function Filters({
  values,
  children,
}: {
  /** As the address has them: the form follows it, also by Back. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly children: ReactNode;
}) {
  const navigate = useNavigate();
  const key = JSON.stringify(values);
  const { form: place, keepFocus } = useKeptFocus(key);
  const choose = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    keepFocus();
    const form = new FormData(event.currentTarget);
    const chosen = Object.keys(values).map((name) => {
      const value = form.get(name);
      return [name, typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined] as const;
    });
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, ...Object.fromEntries(chosen) }),
    });
  };
  return (
    <form className={style['filters']} onSubmit={choose} role="search" key={key} ref={place}>
      {children}
      <button type="submit">Show</button>
    </form>
  );
}
