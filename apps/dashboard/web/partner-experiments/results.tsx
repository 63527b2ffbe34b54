import type { ArmResults, Effect, ExperimentResource, ExperimentResults } from '@truetally/node';
import { IntervalPlot } from '../charts/interval-plot.js';
import { type Metric, METRICS, titleOf } from '../domain/experiment-words.js';
import { percentOf } from '../domain/percent.js';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Notice } from '../elements/problem.js';
import { SaveAsCsv } from '../layout/save-as-csv.js';
import { Known } from '../layout/screen.js';
import { useRead } from '../layout/use-read.js';
import { Range, Value } from './estimates.js';
import { Excluded } from './exclusions.js';
import { SampleRatio } from './sample-ratio.js';
import { Surroundings } from './surroundings.js';

interface ResultsProps {
  readonly experiment: ExperimentResource;
  /** Of the times. */
  readonly zone: string;
}

/** Whether the sample may be trusted stands above everything that rests on it. */
export function Results({ experiment, zone }: ResultsProps) {
  const results = useRead<ExperimentResults>(`/partner-experiments/${experiment.id}/results`);
  return (
    <section aria-label="Results">
      <h2>Results</h2>
      <Known query={results}>
        {(data) => (
          <>
            <SampleRatio ratio={data.sample_ratio} />
            <div className={data.sample_ratio.state === 'mismatch' ? style['dimmed'] : undefined}>
              <ArmTable results={data} />
              <EffectTable results={data} />
            </div>
            <SaveAsCsv
              what="the results"
              file={`results-${experiment.id}.csv`}
              path={`/partner-experiments/${experiment.id}/results.csv`}
            />
            <Surroundings results={data} />
            <Excluded experiment={experiment} excluded={data.exclusions} zone={zone} />
          </>
        )}
      </Known>
    </section>
  );
}

function ArmTable({ results: { arms, currency } }: { readonly results: ExperimentResults }) {
  const { control, treatment } = arms;
  return (
    <>
      <h3>Both arms</h3>
      <DataTable
        name="measures"
        items={METRICS}
        keyOf={(metric) => metric}
        columns={[
          { title: 'Per eligible session', cell: (metric) => titleOf(metric, currency) },
          {
            title: armTitle('Control', control),
            cell: (metric) => <Measure arm={control} metric={metric} />,
          },
          {
            title: armTitle('Treatment', treatment),
            cell: (metric) => <Measure arm={treatment} metric={metric} />,
          },
        ]}
      />
    </>
  );
}

function armTitle(title: string, { eligible_sessions: eligible, converted_sessions: converted }: ArmResults) {
  return `${title}: ${eligible.toLocaleString('en')} sessions, ${converted.toLocaleString('en')} bought`;
}

function Measure({ arm, metric }: { readonly arm: ArmResults; readonly metric: Metric }) {
  const estimate = arm[metric];
  return (
    <>
      <Value value={estimate.value} reason={estimate.reason} />
      <br />
      <Range interval={estimate.confidence_interval} reason={estimate.reason} />
      {'coverage' in estimate && (
        <>
          <br />
          <span className={style['quiet']}>
            {estimate.coverage === null
              ? 'no counted order'
              : `exact margins of ${percentOf(estimate.coverage, 1)} of its orders`}
          </span>
        </>
      )}
    </>
  );
}

function EffectTable({ results: { effects, currency } }: { readonly results: ExperimentResults }) {
  return (
    <>
      <h3>Treatment less control</h3>
      <DataTable
        name="effects"
        items={METRICS}
        keyOf={(metric) => metric}
        columns={[
          { title: 'Effect on', cell: (metric) => titleOf(metric, currency) },
          {
            title: 'Absolute',
            cell: (metric) => <Value value={effects[metric].absolute} reason={effects[metric].reason} />,
          },
          {
            title: 'Relative',
            cell: (metric) => {
              const { value, reason, confidence_interval: interval } = effects[metric].relative;
              return (
                <>
                  <Value value={value} reason={reason} />
                  <br />
                  <Range interval={interval} reason={reason} />
                </>
              );
            },
          },
          {
            title: 'Always valid',
            cell: (metric) => <Range interval={effects[metric].sequential} reason={effects[metric].reason} />,
          },
          {
            title: 'Fixed sample',
            cell: (metric) => <Fixed effect={effects[metric]} />,
          },
          {
            title: 'p value',
            cell: (metric) => <Value value={effects[metric].p_value} reason={effects[metric].reason} />,
          },
        ]}
      />
      {METRICS.map((metric) => (
        <Plot
          key={metric}
          title={titleOf(metric, currency)}
          effect={effects[metric]}
          metric={metric}
          currency={currency}
        />
      ))}
    </>
  );
}

function Fixed({ effect }: { readonly effect: Effect }) {
  return (
    <>
      <Range interval={effect.confidence_interval} reason={effect.reason} />{' '}
      {effect.premature && <span className={style['badge']}>premature</span>}{' '}
      {effect.skewed && <span className={style['badge']}>skewed</span>}
      {effect.adjusted_interval !== null && (
        <>
          <br />
          adjusted for skew: <Range interval={effect.adjusted_interval} />
        </>
      )}
    </>
  );
}

function Plot({
  title,
  effect,
  metric,
  currency,
}: {
  readonly title: string;
  readonly effect: Effect;
  readonly metric: Metric;
  readonly currency: string;
}) {
  const { sequential, confidence_interval: fixed, premature } = effect;
  const intervals = [
    ...(sequential.low !== null && sequential.high !== null
      ? [{ title: 'Always valid', low: sequential.low, high: sequential.high, isHatched: false }]
      : []),
    ...(fixed === null
      ? []
      : [
          {
            title: premature ? 'Fixed sample, premature' : 'Fixed sample',
            low: fixed.low,
            high: fixed.high,
            isHatched: premature,
          },
        ]),
  ];
  if (intervals.length === 0) {
    return (
      <Notice>
        <p>
          {title}: <Range interval={null} reason={effect.reason} />
        </p>
      </Notice>
    );
  }
  return (
    <IntervalPlot
      name={`Effect on ${title}.`}
      main={
        premature
          ? 'The planned sample is not reached: judge by the always valid interval only.'
          : 'The planned sample is reached.'
      }
      unit={metric === 'conversion' ? 'share' : currency}
      value={effect.absolute}
      intervals={intervals}
    />
  );
}
