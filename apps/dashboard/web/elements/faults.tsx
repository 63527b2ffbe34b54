import type { Fault } from '../domain/sealed-record.js';
import style from './elements.module.css';

/** What differs from what was sealed, each with its place in the chain. */
export function Faults({ faults, what }: { readonly faults: readonly Fault[]; readonly what: string }) {
  return (
    <div className={`${style['notice']} ${style['bad']}`} role="alert">
      <p>
        <strong>{what}</strong>
      </p>
      <ul>
        {faults.map(({ sequence, text }, place) => (
          <li key={place}>
            {sequence !== null && `Place ${sequence}: `}
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
