import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import style from './charts.module.css';

export interface ChartRow {
  readonly key: string;
  readonly label: string;
  /** One for each column after the first. */
  readonly values: readonly string[];
  /** What the cursor announces. */
  readonly said: string;
}

export interface ChartPlace {
  /** Of the drawing, pixels of the screen: text keeps its size on a small one. */
  readonly width: number;
  /** The row that the cursor is on. */
  readonly cursor: number | undefined;
}

export interface ChartFigureProps {
  readonly name: string;
  /** The main thing, as a sentence. */
  readonly main: string;
  /** Titles of the table: what a row is, then its values. */
  readonly columns: readonly string[];
  readonly rows: readonly ChartRow[];
  /** Pixels. */
  readonly height: number;
  /** Draws within an `<svg>` of that width. */
  readonly draw: (place: ChartPlace) => ReactNode;
  /** What tells its lines apart; the table has their titles. */
  readonly legend?: ReactNode;
}

const USUAL_WIDTH = 640;
/** One that leaves the page has no width any more. */
const LEAST_WIDTH = 160;
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  Home: -Infinity,
  End: Infinity,
};

/** What every chart has: a name, a sentence, the same numbers as a table, and a cursor by arrow keys. */
export function ChartFigure({ name, main, columns, rows, height, draw, legend }: ChartFigureProps) {
  const [isTable, setTable] = useState(false);
  const [cursor, setCursor] = useState<number>();
  const [width, setWidth] = useState(USUAL_WIDTH);
  const plot = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    const element = plot.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(element.clientWidth, LEAST_WIDTH)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isTable]);
  const at = cursor === undefined ? undefined : rows[cursor];
  const move = (event: KeyboardEvent): void => {
    const by = MOVES[event.key];
    if (by === undefined || rows.length === 0) return;
    event.preventDefault();
    const from = cursor ?? (by > 0 ? -1 : rows.length);
    setCursor(Math.min(Math.max(from + by, 0), rows.length - 1));
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
        <ChartTable name={name} columns={columns} rows={rows} />
      ) : (
        <>
          <div
            ref={plot}
            className={style['plot']}
            role="slider"
            tabIndex={0}
            aria-label={`${name}; arrow keys read the values`}
            aria-valuemin={0}
            aria-valuemax={Math.max(rows.length - 1, 0)}
            aria-valuenow={cursor ?? 0}
            aria-valuetext={at === undefined ? main : at.said}
            onKeyDown={move}
          >
            <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
              {draw({ width, cursor })}
            </svg>
            <p className={style['cursor']} aria-hidden="true">
              {at === undefined ? '\u00a0' : at.said}
            </p>
          </div>
          {legend}
        </>
      )}
    </figure>
  );
}

function ChartTable({ name, columns, rows }: Pick<ChartFigureProps, 'name' | 'columns' | 'rows'>) {
  return (
    <div className={style['table']} role="region" aria-label={`${name} table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, values }) => (
            <tr key={key}>
              <td>{label}</td>
              {values.map((value, index) => (
                <td key={columns[index + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
