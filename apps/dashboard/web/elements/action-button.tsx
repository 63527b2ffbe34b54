import type { ReactNode } from 'react';
import style from './elements.module.css';

/**
 * A button that does nothing while its work is under way, and says so. Disabled it would lose the focus, and with it the place of
 * whoever goes on by keyboard.
 */
export function ActionButton({
  type = 'button',
  isBusy = false,
  isReady = true,
  onClick,
  label,
  children,
}: {
  readonly type?: 'button' | 'submit';
  readonly isBusy?: boolean;
  /** Whether what it takes has been given. */
  readonly isReady?: boolean | undefined;
  /** Without it the form around it is sent. */
  readonly onClick?: (() => void) | undefined;
  /** Its name where another one has the same text; it begins with it. */
  readonly label?: string;
  readonly children: ReactNode;
}) {
  const isOff = isBusy || !isReady;
  return (
    <>
      <button
        type={type}
        aria-label={label}
        aria-disabled={isOff}
        onClick={isOff ? (event) => event.preventDefault() : onClick}
      >
        {children}
      </button>
      <span className={style['heard']} role="status">
        {isBusy && 'Please wait'}
      </span>
    </>
  );
}
