import { scaleLinear } from 'd3-scale';
import { percentOf } from '../domain/percent.js';
import { ChartFigure, type ChartPlace } from './chart-figure.js';
import style from './charts.module.css';

export interface FunnelBar {
  readonly key: string;
  readonly label: string;
  readonly sessions: number;
  /** Of the first step's sessions; null at none. */
  readonly share: number | null;
}

const ROW = 44;
const BAR = 18;
const TEXT = 16;
const RIGHT = 8;

/** One bar under each step's name; the frame is the first step. */
export function FunnelChart({
  name,
  steps,
}: {
  readonly name: string;
  readonly steps: readonly FunnelBar[];
}) {
  const last = steps.at(-1);
  const main =
    last === undefined || last.share === null
      ? 'No session began it in these days.'
      : `${percent(last.share)} of the sessions that began it came to ${last.label}: ${last.sessions.toLocaleString('en')}.`;
  return (
    <ChartFigure
      name={name}
      main={main}
      columns={['Step', 'Sessions', 'Share of the first step']}
      rows={steps.map(({ key, label, sessions, share }) => ({
        key,
        label,
        values: [sessions.toLocaleString('en'), percent(share)],
        said: `${label}: ${sessions.toLocaleString('en')} sessions, ${percent(share)}`,
      }))}
      height={steps.length * ROW}
      draw={(place) => <Bars steps={steps} {...place} />}
    />
  );
}

function Bars({ steps, width, cursor }: ChartPlace & { readonly steps: readonly FunnelBar[] }) {
  const x = scaleLinear([0, Math.max(1, ...steps.map(({ sessions }) => sessions))], [0, width - RIGHT]);
  return steps.map(({ key, label, sessions, share }, index) => (
    <g key={key} transform={`translate(0 ${index * ROW})`}>
      <text className={style['tick']} x={0} y={TEXT - 2}>
        {index + 1}. {label}: {sessions.toLocaleString('en')} ({percent(share)})
      </text>
      <rect className={style['rest']} x={0.5} width={width - RIGHT} y={TEXT + 2} height={BAR} />
      <rect
        className={index === cursor ? style['current'] : style['bar']}
        x={0.5}
        width={x(sessions)}
        y={TEXT + 2}
        height={BAR}
      />
    </g>
  ));
}

/** @param share null where there is nothing to divide by */
export function percent(share: number | null): string {
  return share === null ? 'no share' : percentOf(share, 2);
}
