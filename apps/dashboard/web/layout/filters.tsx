import { useNavigate } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { Field } from '../elements/field.js';
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

/** The one filter of a list that has a page behind its first one, or is narrowed by it already. */
export function NameFilter({
  list: { hasNextPage, data },
  part,
  label,
}: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly data: { readonly pages: readonly unknown[] } | undefined;
  };
  readonly part: string | undefined;
  readonly label?: string;
}) {
  const isLong = hasNextPage || (data?.pages.length ?? 0) > 1;
  if (!isLong && part === undefined) return null;
  return (
    <Filters values={{ name: part }}>
      <NameField part={part} {...(label !== undefined && { label })} />
    </Filters>
  );
}

/** A part of the names that a list is to show; the address keeps it. */
export function NameField({
  part,
  label = 'Name has',
}: {
  readonly part: string | undefined;
  readonly label?: string;
}) {
  return (
    <Field label={label}>
      <input name="name" defaultValue={part ?? ''} autoComplete="off" maxLength={128} />
    </Field>
  );
}
