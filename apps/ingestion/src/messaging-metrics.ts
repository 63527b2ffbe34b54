import { METRICS, type MessagingMetrics, type MetricName } from '@truetally/messaging';
import type { Metrics } from '@truetally/platform';

type Record = (value: number, labels: Readonly<{ [name: string]: string }>) => void;

/** Puts the messaging library's measurements into this process's registry, under its names. */
export function messagingMetrics(metrics: Metrics): MessagingMetrics {
  const recorders = new Map<string, Record>(
    Object.entries(METRICS).map(([name, { kind, help, labels }]) => [
      name,
      recorder(metrics, name, kind, help, labels),
    ]),
  );
  return (name: MetricName, value, labels) => recorders.get(name)?.(value, labels);
}

function recorder(
  metrics: Metrics,
  name: string,
  kind: 'counter' | 'gauge' | 'histogram',
  help: string,
  labelNames: readonly string[],
): Record {
  switch (kind) {
    case 'counter': {
      const counter = metrics.counter(name, help, labelNames);
      return (value, labels) => counter.inc(labels, value);
    }
    case 'gauge': {
      const gauge = metrics.gauge(name, help, labelNames);
      return (value, labels) => gauge.set(labels, value);
    }
    case 'histogram': {
      const isDuration = name.endsWith('_seconds');
      const histogram = isDuration
        ? metrics.seconds(name, help, labelNames)
        : metrics.sizes(name, help, labelNames);
      return (value, labels) => histogram.observe(labels, value);
    }
  }
}
