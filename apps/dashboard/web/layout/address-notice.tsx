import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { brokenParameters } from '../domain/broken-parameters.js';
import style from '../elements/elements.module.css';

/** Says which parts of the address could not be read, until the reader goes to another screen. */
export function AddressNotice() {
  const names = useSyncExternalStore(brokenParameters.subscribe, brokenParameters.current);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current !== path) brokenParameters.forget();
    last.current = path;
  }, [path]);
  if (names.length === 0) return null;
  return (
    <div className={style['notice']} role="status">
      <p>
        A part of this address could not be read and was left out: <code>{names.join(', ')}</code>
      </p>
      <button type="button" onClick={() => brokenParameters.forget()}>
        Close
      </button>
    </div>
  );
}
