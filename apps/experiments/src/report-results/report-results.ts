import type { MeasuredExperiment, ResultsSeries } from '@truetally/contracts/experiments';
import { type ResourceQuery, resourceRefusals } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { buildResults } from '../domain/build-results.js';
import { buildSeries, MAX_POINTS, pointsOf, SERIES_INTERVALS } from '../domain/build-series.js';
import { refusals } from '../domain/refusals.js';
import { readExclusions } from '../storage/exclusion-rounds.js';
import { findExperiment } from '../storage/experiment.store.js';
import { readSample } from '../storage/session-sample.js';
import { readArms, readHours, readOtherCurrencies, readParts } from '../storage/results.store.js';

/**
 * `GET /partner-experiments/{id}/results`: from sums and a sample of bounded size, so that it costs the same for any number of
 * sessions.
 */
export async function reportResults(
  client: Queryable,
  { workspace_id, params }: ResourceQuery,
): Promise<Reply<MeasuredExperiment>> {
  const found = await findExperiment(client, workspace_id, params['experiment_id']);
  if (found === undefined) return refusals.noExperiment();
  const { resource: experiment, currency } = found;
  const [arms, parts, otherCurrencies, sample, exclusions] = await Promise.all([
    readArms(client, experiment.id),
    readParts(client, experiment.id),
    readOtherCurrencies(client, experiment.id),
    readSample(client, experiment.id),
    readExclusions(client, experiment.id),
  ]);
  const results = buildResults({ experiment, currency, arms, parts, otherCurrencies, sample, exclusions });
  const session_sample = sample.filter(({ isSettled }) => isSettled).map(({ sessionId }) => sessionId);
  return { ok: { results, session_sample } };
}

/** `GET /partner-experiments/{id}/results/series`. @param nowMs end of a running experiment's series */
export async function reportSeries(
  client: Queryable,
  { workspace_id, params, filters }: ResourceQuery,
  nowMs: number,
): Promise<Reply<ResultsSeries>> {
  const found = await findExperiment(client, workspace_id, params['experiment_id']);
  if (found === undefined) return refusals.noExperiment();
  const { resource: experiment, currency } = found;
  const interval = SERIES_INTERVALS.find((one) => one === filters['interval']) ?? 'day';
  const hours = await readHours(client, experiment.id, interval);
  const untilMs = endOf(experiment.stopped_at, hours.at(-1)?.hourMs, nowMs);
  const startMs = Date.parse(experiment.started_at ?? '');
  if (interval === 'hour' && pointsOf(startMs, untilMs, interval) > MAX_POINTS) {
    return resourceRefusals.invalid({
      interval: [`must be day: the experiment is longer than ${MAX_POINTS} hours`],
    });
  }
  const series = buildSeries(experiment, currency, hours, { interval, untilMs });
  return { ok: { timezone: 'UTC', series } };
}

/** Now, or the stop; if adjustments came later, the hour of the last one. */
function endOf(stoppedAt: string | null, lastHourMs: number | undefined, nowMs: number): number {
  if (stoppedAt === null) return nowMs;
  return Math.min(nowMs, Math.max(Date.parse(stoppedAt), (lastHourMs ?? 0) + HOUR_MS));
}

const HOUR_MS = 3_600_000;
