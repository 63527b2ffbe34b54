import { type Metrics } from './metrics.js';

/** A measurement as described by a library that does not know the registry. */
export interface MetricDescription {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

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
      const isDuration = name.endsWith('_seconds');
      const histogram = isDuration ? metrics.seconds(name, help, labels) : metrics.sizes(name, help, labels);
      return (value, labelValues) => histogram.observe(labelValues, value);
    }
  }
}
