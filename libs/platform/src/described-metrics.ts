import { COUNT_BUCKETS, type Metrics, SECONDS_BUCKETS } from './metrics.js';

/** A measurement as described by a library that does not know the registry. */
export type MetricDescription = { readonly help: string } & (
  | { readonly kind: 'counter' | 'gauge'; readonly labels: readonly string[] }
  | { readonly kind: 'histogram'; readonly labels: readonly [] | readonly [string] }
);

type Labels = Readonly<Record<string, string>>;
type Recorder = (value: number, labels: Labels) => void;

/**
 * Registers a library's measurements in this process's registry under their own names. Counters take
 * increments, gauges values, histograms observations: seconds where the name ends so, sizes otherwise.
 */
export function recordDescribed<Name extends string>(
  metrics: Metrics,
  descriptions: Readonly<Record<Name, MetricDescription>>,
): (name: Name, value: number, labels: Labels) => void {
  const recorders = new Map<string, Recorder>(
    Object.entries<MetricDescription>(descriptions).map(([name, description]) => [
      name,
      recorder(metrics, name, description),
    ]),
  );
  return (name, value, labels) => recorders.get(name)?.(value, labels);
}

function recorder(metrics: Metrics, name: string, { kind, help, labels }: MetricDescription): Recorder {
  switch (kind) {
    case 'counter': {
      const counter = metrics.counter(name, help, labels);
      return (value, labelValues) => counter.inc(labelValues, value);
    }
    case 'gauge': {
      const gauge = metrics.gauge(name, help, labels);
      return (value, labelValues) => gauge.set(labelValues, value);
    }
    case 'histogram': {
      const [label] = labels;
      const buckets = name.endsWith('_seconds') ? SECONDS_BUCKETS : COUNT_BUCKETS;
      const labelsOf = (of: string): Labels => (label === undefined ? {} : { [label]: of });
      const histogram = metrics.tallied(name, help, labelsOf, buckets);
      return (value, labelValues) => {
        histogram.observe(label === undefined ? '' : (labelValues[label] ?? ''), 0, value);
      };
    }
  }
}
