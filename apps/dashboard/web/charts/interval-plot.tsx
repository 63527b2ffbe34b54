import { scaleLinear } from 'd3-scale';
import { useId } from 'react';
import { figureText } from '../domain/figure-text.js';
import { ChartFigure, type ChartPlace } from './chart-figure.js';
import style from './charts.module.css';

export interface PlottedInterval {
  readonly title: string;
  readonly low: number;
  readonly high: number;
  /** One that must not be judged by yet is hatched. */
  readonly isHatched: boolean;
}

export interface IntervalPlotProps {
  readonly name: string;
  readonly main: string;
  readonly unit: string;
  /** Null where it could not be computed. */
  readonly value: number | null;
  readonly intervals: readonly PlottedInterval[];
}

const ROW = 46;
const BAR = 16;
const AXIS = 24;
const SIDE = 40;
const TICKS = 4;

/** Intervals of one effect on one axis that holds zero. */
export function IntervalPlot({ name, main, unit, value, intervals }: IntervalPlotProps) {
  return (
    <ChartFigure
      name={name}
      main={main}
      columns={['Interval', `Low (${unit})`, `High (${unit})`]}
      rows={intervals.map(({ title, low, high }) => ({
        key: title,
        label: title,
        values: [figureText(low), figureText(high)],
        said: `${title}: ${figureText(low)} to ${figureText(high)}`,
      }))}
      height={intervals.length * ROW + AXIS}
      draw={(place) => <Intervals value={value} intervals={intervals} {...place} />}
    />
  );
}

function Intervals({
  value,
  intervals,
  width,
  cursor,
}: ChartPlace & Pick<IntervalPlotProps, 'value' | 'intervals'>) {
  const hatch = useId();
  const ends = [0, ...(value === null ? [] : [value]), ...intervals.flatMap(({ low, high }) => [low, high])];
  const [lowest, highest] = [Math.min(...ends), Math.max(...ends)];
  const x = scaleLinear([lowest, highest === lowest ? lowest + 1 : highest], [SIDE, width - SIDE]).nice(
    TICKS,
  );
  const bottom = intervals.length * ROW;
  return (
    <>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line className={style['hatch']} x1="0" y1="0" x2="0" y2="6" />
        </pattern>
      </defs>
      {x.ticks(TICKS).map((tick) => (
        <g key={tick}>
          <line
            className={tick === 0 ? style['zero'] : style['grid']}
            x1={x(tick)}
            x2={x(tick)}
            y1={0}
            y2={bottom}
          />
          <text className={style['tick']} x={x(tick)} y={bottom + 18} textAnchor="middle">
            {figureText(tick)}
          </text>
        </g>
      ))}
      {intervals.map(({ title, low, high, isHatched }, index) => (
        <g key={title} transform={`translate(0 ${index * ROW})`}>
          <text className={style['tick']} x={0} y={14}>
            {title}
          </text>
          <rect
            className={isHatched ? style['hatched'] : index === cursor ? style['current'] : style['bar']}
            {...(isHatched && { fill: `url(#${hatch})` })}
            x={x(low)}
            width={Math.max(x(high) - x(low), 2)}
            y={20}
            height={BAR}
          />
          {value !== null && (
            <line className={style['estimate']} x1={x(value)} x2={x(value)} y1={18} y2={20 + BAR + 2} />
          )}
        </g>
      ))}
    </>
  );
}
