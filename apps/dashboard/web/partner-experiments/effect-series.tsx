import { useSearch } from '@tanstack/react-router';
import type { ExperimentResource, ResultsSeries } from '@truetally/node';
import { LineChart } from '../charts/line-chart.js';
import { titleOf } from '../domain/experiment-words.js';
import { Field } from '../elements/field.js';
import { Filters } from '../layout/filters.js';
import { Known } from '../layout/screen.js';
import { useRead } from '../layout/use-read.js';

const DAY_CHARACTERS = 10;
const HOUR_CHARACTERS = 16;

/** The primary metric's effect as it stood at the end of each interval; its days are UTC, and the axis says so. */
export function EffectSeries({
  experiment,
  currency,
}: {
  readonly experiment: ExperimentResource;
  readonly currency: string;
}) {
  const { interval = 'day' } = useSearch({ from: '/w/$workspaceId/partner-experiments/$experimentId' });
  const answer = useRead<ResultsSeries>(`/partner-experiments/${experiment.id}/results/series`, { interval });
  const title = titleOf(experiment.primary_metric, currency);
  return (
    <section aria-label="The effect over time">
      <h2>The effect over time</h2>
      <Filters values={{ interval }}>
        <Field label="Each">
          <select name="interval" defaultValue={interval}>
            <option value="day">day</option>
            <option value="hour">hour (at most 400)</option>
          </select>
        </Field>
      </Filters>
      <Known query={answer}>
        {({ series }) => (
          <LineChart
            name={`Effect on ${title}.`}
            main={`As it stood at the end of each ${interval}, in UTC.`}
            pointTitle={interval === 'day' ? 'Day (UTC)' : 'Hour (UTC)'}
            points={series.map(({ at }) => ({
              key: at,
              label: at.slice(0, interval === 'day' ? DAY_CHARACTERS : HOUR_CHARACTERS).replace('T', ' '),
            }))}
            lines={[
              { title: 'Effect', values: series.map(({ effect }) => effect.absolute) },
              { title: 'Always valid, low', values: series.map(({ effect }) => effect.sequential.low) },
              { title: 'Always valid, high', values: series.map(({ effect }) => effect.sequential.high) },
            ]}
          />
        )}
      </Known>
    </section>
  );
}
