import { scaleLinear, scalePoint } from 'd3-scale';
import { figureText } from '../domain/figure-text.js';
import { ChartFigure, type ChartPlace } from './chart-figure.js';
import style from './charts.module.css';
import { ValueAxis } from './value-axis.js';

export interface Line {
  readonly title: string;
  /** One for each point; null where there is no data, which is a gap. */
  readonly values: readonly (number | null)[];
}

export interface LineChartProps {
  readonly name: string;
  readonly main: string;
  /** What a point is: "Day". */
  readonly pointTitle: string;
  readonly points: readonly { readonly key: string; readonly label: string }[];
  /** The first is drawn solid, the second dashed, the third dotted. */
  readonly lines: readonly Line[];
}

const HEIGHT = 240;
const MARGIN = { left: 64, right: 16, top: 12, bottom: 28 };
const TICKS = 4;
const LABEL_PIXELS = 130;
const NO_DATA = 'no data';

/** Lines over the same points, told apart by their strokes besides their colours; zero is always on the axis. */
export function LineChart({ name, main, pointTitle, points, lines }: LineChartProps) {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? NO_DATA : figureText(value);
  return (
    <ChartFigure
      name={name}
      main={main}
      columns={[pointTitle, ...lines.map(({ title }) => title)]}
      rows={points.map(({ key, label }, index) => {
        const values = lines.map((line) => text(line.values[index]));
        const said = lines.map(({ title }, place) => `${title} ${values[place]}`).join(', ');
        return { key, label, values, said: `${label}: ${said}` };
      })}
      height={HEIGHT}
      draw={(place) => <Lines points={points} lines={lines} {...place} />}
      legend={lines.length > 1 && <Legend lines={lines} />}
    />
  );
}

function Lines({ points, lines, width, cursor }: ChartPlace & Pick<LineChartProps, 'points' | 'lines'>) {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const lowest = Math.min(0, ...known);
  const highest = Math.max(0, ...known);
  const x = scalePoint(
    points.map(({ key }) => key),
    [MARGIN.left, width - MARGIN.right],
  );
  const y = scaleLinear(
    [lowest, highest === lowest ? lowest + 1 : highest],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  ).nice(TICKS);
  const step = Math.max(1, Math.ceil((points.length * LABEL_PIXELS) / (width - MARGIN.left - MARGIN.right)));
  // One that would be cut at the edge is left out, as those between are.
  const lastLabelled = width - LABEL_PIXELS / 2;
  const at = (index: number): number => x(points[index]?.key ?? '') ?? 0;
  return (
    <>
      <ValueAxis
        scale={y}
        left={MARGIN.left}
        right={width - MARGIN.right}
        isWhole={known.every(Number.isInteger)}
      />
      {points.map(
        ({ key, label }, index) =>
          index % step === 0 &&
          at(index) <= lastLabelled && (
            <text key={key} className={style['tick']} x={at(index)} y={HEIGHT - 8} textAnchor="middle">
              {label}
            </text>
          ),
      )}
      {cursor !== undefined && (
        <line
          className={style['cursor-line']}
          x1={at(cursor)}
          x2={at(cursor)}
          y1={MARGIN.top}
          y2={HEIGHT - MARGIN.bottom}
        />
      )}
      {lines.map(({ title, values }, index) => (
        <g key={title} className={style[`line-${index + 1}`]}>
          <path
            d={values
              .map((value, point) => {
                if (value === null) return '';
                const begins = (values[point - 1] ?? null) === null;
                return `${begins ? 'M' : 'L'}${at(point)},${y(value)}`;
              })
              .join('')}
          />
          {values.map(
            (value, point) =>
              // A point without neighbours has no line; the cursor's is marked.
              value !== null &&
              (point === cursor ||
                ((values[point - 1] ?? null) === null && (values[point + 1] ?? null) === null)) && (
                <circle key={points[point]?.key ?? point} cx={at(point)} cy={y(value)} r={4} />
              ),
          )}
        </g>
      ))}
    </>
  );
}

function Legend({ lines }: Pick<LineChartProps, 'lines'>) {
  return (
    <ul className={style['legend']}>
      {lines.map(({ title }, index) => (
        <li key={title}>
          <svg width="40" height="12" aria-hidden="true" className={style[`line-${index + 1}`]}>
            <path d="M0,6L40,6" />
          </svg>{' '}
          {title}
        </li>
      ))}
    </ul>
  );
}
