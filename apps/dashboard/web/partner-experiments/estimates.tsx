import type { Interval, SequentialInterval } from '@truetally/node';
import { reasonOf } from '../domain/experiment-words.js';
import { percentOf } from '../domain/percent.js';
import style from '../elements/elements.module.css';
import { FigureValue } from '../elements/figure-value.js';

/** A value, or why there is none. */
export function Value({
  value,
  reason,
}: {
  readonly value: number | null;
  readonly reason?: string | undefined;
}) {
  return value === null ? (
    <span className={style['quiet']}>none: {reasonOf(reason)}</span>
  ) : (
    <FigureValue value={value} />
  );
}

/** Both ends with their level, or why there are none. */
export function Range({
  interval,
  reason,
}: {
  readonly interval: Interval | SequentialInterval | null;
  readonly reason?: string | undefined;
}) {
  if (interval === null) return <span className={style['quiet']}>no interval: {reasonOf(reason)}</span>;
  const { low, high, level } = interval;
  if (low === null || high === null) {
    const own = 'reason' in interval ? interval.reason : undefined;
    return <span className={style['quiet']}>no interval: {reasonOf(own ?? reason)}</span>;
  }
  return (
    <>
      <FigureValue value={low} /> to <FigureValue value={high} /> ({percentOf(level)})
    </>
  );
}
