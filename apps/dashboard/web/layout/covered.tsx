import style from '../elements/elements.module.css';
import { addDays } from '../domain/site-days.js';
import { Instant } from '../elements/instant.js';
import type { Days } from './use-days.js';

/** Which days of which zone an answer covers, and up to when facts are in it. */
export function Covered({
  days: { from, to },
  answer,
}: {
  readonly days: Days;
  readonly answer: { readonly timezone: string; readonly as_of: string };
}) {
  return (
    <p className={style['quiet']}>
      Days of {answer.timezone}, {from} to {addDays(to, -1)}. Facts up to{' '}
      <Instant at={answer.as_of} zone={answer.timezone} />. Bots are left out.
    </p>
  );
}
