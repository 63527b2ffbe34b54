import style from '../elements/elements.module.css';
import { addDays } from '../domain/site-days.js';
import { Instant } from '../elements/instant.js';
import type { Days } from './use-days.js';

/** The first and the last one, as people count; neither is broken at its hyphens. */
export function DaysOf({ from, to }: Days) {
  return (
    <>
      <span className={style['unbroken']}>{from}</span> to{' '}
      <span className={style['unbroken']}>{addDays(to, -1)}</span>
    </>
  );
}

/** Which days of which zone an answer covers, and up to when facts are in it. */
export function Covered({
  days: { from, to },
  answer,
}: {
  readonly days: Days;
  readonly answer: {
    readonly timezone: string;
    readonly as_of: string;
    readonly events_kept_since?: string | undefined;
  };
}) {
  return (
    <p className={style['quiet']}>
      Days of {answer.timezone}, <DaysOf from={from} to={to} />. Facts up to{' '}
      <Instant at={answer.as_of} zone={answer.timezone} />. Bots are left out.
      {answer.events_kept_since !== undefined && (
        <>
          {' '}
          Events before <Instant at={answer.events_kept_since} zone={answer.timezone} /> are no longer kept:
          what is counted by them is too small.
        </>
      )}
    </p>
  );
}
