import { figureText } from '../domain/figure-text.js';
import style from './charts.module.css';

interface Scale {
  (value: number): number;
  ticks: (count: number) => number[];
}

const TICKS = 4;

/** Lines across the drawing with their values before them. */
export function ValueAxis({
  scale,
  left,
  right,
  isWhole,
}: {
  readonly scale: Scale;
  readonly left: number;
  readonly right: number;
  /** Counts have nothing between two of them. */
  readonly isWhole: boolean;
}) {
  const ticks = scale.ticks(TICKS).filter((tick) => !isWhole || Number.isInteger(tick));
  return ticks.map((tick) => (
    <g key={tick}>
      <line className={style['grid']} x1={left} x2={right} y1={scale(tick)} y2={scale(tick)} />
      <text className={style['tick']} x={left - 8} y={scale(tick) + 4} textAnchor="end">
        {figureText(tick)}
      </text>
    </g>
  ));
}
