import { cloneElement, type ReactElement, useId } from 'react';
import style from './elements.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly children: ReactElement<{
    readonly id?: string;
    readonly 'aria-invalid'?: boolean;
    readonly 'aria-describedby'?: string;
  }>;
}

/** A labelled control with its rule and what is wrong with its value. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint === undefined ? [] : `${id}-hint`, error === undefined ? [] : `${id}-error`].flat();
  return (
    <div className={style['field']}>
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-invalid': error !== undefined,
        ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
      })}
      {hint !== undefined && (
        <p className={style['hint']} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className={style['error']} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
