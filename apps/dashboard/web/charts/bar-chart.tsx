import { scaleBand, scaleLinear } from 'd3-scale';
import { type KeyboardEvent, useId, useState } from 'react';
import style from './charts.module.css';

export interface Bar {
  readonly label: string;
  readonly value: number;
}

const WIDTH = 640;
const HEIGHT = 220;
const MARGIN = { left: 56, right: 8, top: 12, bottom: 28 };
const TICKS = 4;
const MAX_LABELS = 6;

/**
 * Bars from zero, with the same numbers as a table, a sentence that says the main thing, and a cursor by arrow keys
 * whose value is announced.
 */
export function BarChart({
  name,
  unit,
  bars,
}: {
  readonly name: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}) {
  const [isTable, setTable] = useState(false);
  const [cursor, setCursor] = useState<number>();
  const id = useId();
  const sum = bars.reduce((total, { value }) => total + value, 0);
  const highest = bars.reduce<Bar | undefined>(
    (best, bar) => (best === undefined || bar.value > best.value ? bar : best),
    undefined,
  );
  const main =
    sum === 0 || highest === undefined
      ? `No ${unit} in this time.`
      : `${sum.toLocaleString('en')} ${unit} in all, most of them on ${highest.label}: ${highest.value.toLocaleString('en')}.`;
  const x = scaleBand(
    bars.map(({ label }) => label),
    [MARGIN.left, WIDTH - MARGIN.right],
  ).padding(0.2);
  const y = scaleLinear([0, Math.max(highest?.value ?? 0, 1)], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(
    TICKS,
  );
  const step = Math.max(1, Math.ceil(bars.length / MAX_LABELS));
  const at = cursor === undefined ? undefined : bars[cursor];
  const move = ({ key, preventDefault }: { key: string; preventDefault: () => void }): void => {
    const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
    const by = moves[key];
    if (by === undefined || bars.length === 0) return;
    preventDefault();
    setCursor(Math.min(Math.max((cursor ?? (by > 0 ? -1 : bars.length)) + by, 0), bars.length - 1));
  };
  return (
    <figure className={style['figure']} aria-labelledby={`${id}-name`}>
      <figcaption>
        <strong id={`${id}-name`}>{name}</strong> {main}{' '}
        <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </figcaption>
      {isTable ? (
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">{unit}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr key={label}>
                <td>{label}</td>
                <td>{value.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <div
          className={style['plot']}
          role="slider"
          tabIndex={0}
          aria-label={`${name}; arrow keys read the values`}
          aria-valuemin={0}
          aria-valuemax={Math.max(bars.length - 1, 0)}
          aria-valuenow={cursor ?? 0}
          aria-valuetext={at === undefined ? main : `${at.label}: ${at.value.toLocaleString('en')} ${unit}`}
          onKeyDown={(event: KeyboardEvent) =>
            move({ key: event.key, preventDefault: () => event.preventDefault() })
          }
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
            {y.ticks(TICKS).map((tick) => (
              <g key={tick}>
                <line
                  className={style['grid']}
                  x1={MARGIN.left}
                  x2={WIDTH - MARGIN.right}
                  y1={y(tick)}
                  y2={y(tick)}
                />
                <text className={style['tick']} x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
                  {tick.toLocaleString('en')}
                </text>
              </g>
            ))}
            {bars.map(({ label, value }, index) => (
              <g key={label}>
                <rect
                  className={index === cursor ? style['current'] : style['bar']}
                  x={x(label)}
                  width={x.bandwidth()}
                  y={y(value)}
                  height={y(0) - y(value)}
                />
                {index % step === 0 && (
                  <text
                    className={style['tick']}
                    x={(x(label) ?? 0) + x.bandwidth() / 2}
                    y={HEIGHT - 8}
                    textAnchor="middle"
                  >
                    {label}
                  </text>
                )}
              </g>
            ))}
          </svg>
          <p className={style['cursor']} aria-hidden="true">
            {at === undefined ? '\u00a0' : `${at.label}: ${at.value.toLocaleString('en')} ${unit}`}
          </p>
        </div>
      )}
    </figure>
  );
}
