import { scaleBand, scaleLinear } from 'd3-scale';
import { counted } from '../domain/counted.js';
import { ChartFigure, type ChartPlace } from './chart-figure.js';
import style from './charts.module.css';
import { ValueAxis } from './value-axis.js';

export interface Bar {
  readonly label: string;
  readonly value: number;
}

const HEIGHT = 220;
const MARGIN = { left: 56, right: 8, top: 12, bottom: 28 };
const TICKS = 4;
const LABEL_PIXELS = 100;

/** Bars from zero. */
export function BarChart({
  name,
  one,
  bars,
}: {
  readonly name: string;
  /** What is counted, of which there is one. */
  readonly one: string;
  readonly bars: readonly Bar[];
}) {
  const sum = bars.reduce((total, { value }) => total + value, 0);
  const highest = bars.reduce<Bar | undefined>(
    (best, bar) => (best === undefined || bar.value > best.value ? bar : best),
    undefined,
  );
  const main =
    sum === 0 || highest === undefined
      ? `No ${one} in this time.`
      : `${counted(sum, one)} in all, most of them on ${highest.label}: ${highest.value.toLocaleString('en')}.`;
  return (
    <ChartFigure
      name={name}
      main={main}
      columns={['When', `${one}s`]}
      rows={bars.map(({ label, value }) => ({
        key: label,
        label,
        values: [value.toLocaleString('en')],
        said: `${label}: ${counted(value, one)}`,
      }))}
      height={HEIGHT}
      draw={(place) => <Bars bars={bars} highest={highest?.value ?? 0} {...place} />}
    />
  );
}

function Bars({
  bars,
  highest,
  width,
  cursor,
}: ChartPlace & { readonly bars: readonly Bar[]; readonly highest: number }) {
  const x = scaleBand(
    bars.map(({ label }) => label),
    [MARGIN.left, width - MARGIN.right],
  ).padding(0.2);
  const y = scaleLinear([0, Math.max(highest, 1)], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(TICKS);
  const step = Math.max(1, Math.ceil((bars.length * LABEL_PIXELS) / (width - MARGIN.left - MARGIN.right)));
  const middleOf = (label: string): number => (x(label) ?? 0) + x.bandwidth() / 2;
  // One that would be cut at the edge is left out, as those between are.
  const lastLabelled = width - LABEL_PIXELS / 2;
  return (
    <>
      <ValueAxis scale={y} left={MARGIN.left} right={width - MARGIN.right} isWhole />
      {bars.map(({ label, value }, index) => (
        <g key={label}>
          <rect
            className={index === cursor ? style['current'] : style['bar']}
            x={x(label)}
            width={x.bandwidth()}
            y={y(value)}
            height={y(0) - y(value)}
          />
          {index % step === 0 && middleOf(label) <= lastLabelled && (
            <text className={style['tick']} x={middleOf(label)} y={HEIGHT - 8} textAnchor="middle">
              {label}
            </text>
          )}
        </g>
      ))}
    </>
  );
}
