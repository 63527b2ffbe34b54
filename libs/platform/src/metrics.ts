import { totalmem } from 'node:os';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { TallyHistogram } from './tally-histogram.js';
import { withinTime } from './within-time.js';

/** From half a millisecond to ten seconds: the whole range of a request, fine where most of them are. */
export const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
export const COUNT_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/**
 * The lag of the event loop is sampled so often, and what is measured includes the interval. By default it is 10 ms,
 * which wakes an idle process a hundred times a second; an alert looks for delays of a quarter of a second.
 */
const LOOP_SAMPLE_MS = 500;
/** What a reader may take of a scrape, for which Prometheus waits 10 s: with one that hangs all other metrics would be lost. */
const READ_TIMEOUT_MS = 2_000;

interface Build {
  readonly BUILD_VERSION: string;
  readonly BUILD_COMMIT: string;
}

/** One process's metrics in the Prometheus text format; every name starts with `truetally_`. */
export class Metrics {
  private readonly registry = new Registry();

  constructor(
    service: string,
    private readonly readTimeoutMs = READ_TIMEOUT_MS,
  ) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
    this.observed(
      'memory_limit_bytes',
      "The container's limit of memory; without one the machine's memory.",
      () =>
        // 0 where the system tells none, and a number beyond every machine's where there is none.
        Math.min(process.constrainedMemory() || Infinity, totalmem()),
    );
  }

  tellBuild({ BUILD_VERSION: version, BUILD_COMMIT: commit }: Build): void {
    this.gauge('build_info', 'What runs; its value is 1.', ['version', 'commit']).set({ version, commit }, 1);
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name: `truetally_${name}`, help, labelNames, registers: [this.registry] });
  }

  gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
    return new Gauge({ name: `truetally_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** A histogram of seconds for a hot path, labelled by a text and a number. */
  tallied(
    name: string,
    help: string,
    labelsOf: (first: string, second: number) => Readonly<Record<string, string>>,
    buckets: readonly number[] = SECONDS_BUCKETS,
  ): TallyHistogram {
    const histogram = new TallyHistogram({ name: `truetally_${name}`, help, buckets, labelsOf });
    this.registry.registerMetric(histogram as unknown as Metric);
    return histogram;
  }

  /** A gauge whose values are read at each scrape, one per set of labels; left out where that takes too long. */
  observedAll<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: () => Promise<readonly (readonly [Record<L, string>, number])[]>,
  ): void {
    const { readTimeoutMs } = this;
    new Gauge({
      name: `truetally_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const values = await withinTime(read(), readTimeoutMs, []);
        this.reset();
        for (const [labels, value] of values) this.set(labels, value);
      },
    });
  }

  /** A counter that another part keeps, read at each scrape: one total per value of the label. */
  counted<L extends string>(
    name: string,
    help: string,
    label: L,
    read: () => Readonly<Record<string, number>>,
  ): void {
    new Counter({
      name: `truetally_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [value, total] of Object.entries(read())) this.labels(value).inc(total);
      },
    });
  }

  /** A gauge that is read at each scrape, so that maintaining it costs nothing. */
  observed(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `truetally_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  seconds<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
    return this.histogram(name, help, SECONDS_BUCKETS, labelNames);
  }

  sizes<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
    return this.histogram(name, help, COUNT_BUCKETS, labelNames);
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private histogram<L extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly L[],
  ) {
    return new Histogram({
      name: `truetally_${name}`,
      help,
      buckets,
      labelNames,
      registers: [this.registry],
    });
  }
}
