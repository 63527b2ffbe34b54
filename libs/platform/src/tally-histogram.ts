/** Counts of observations under one set of labels. */
interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  /** Per bucket, not cumulative; the last one is above every bound. */
  readonly counts: Float64Array;
  sum: number;
}

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly labelsOf: (first: string, second: number) => Readonly<Record<string, string>>;
}

/**
 * A histogram for a hot path, labelled by a text and a number (route and status): an observation costs two
 * look-ups and two additions, where the metrics library hashes its labels each time. Its text is built at
 * each scrape.
 */
export class TallyHistogram {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  private readonly tallies = new Map<string, Map<number, Tally>>();

  constructor(private readonly options: TallyOptions) {
    this.name = options.name;
    this.help = options.help;
  }

  observe(first: string, second: number, value: number): void {
    let bySecond = this.tallies.get(first);
    if (bySecond === undefined) this.tallies.set(first, (bySecond = new Map()));
    let tally = bySecond.get(second);
    if (tally === undefined) bySecond.set(second, (tally = this.newTally(first, second)));
    const index = this.bucketOf(value);
    tally.counts[index] = (tally.counts[index] ?? 0) + 1;
    tally.sum += value;
  }

  /** prom-client's registry calls this to read a metric. */
  get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const values = [...this.tallies.values()].flatMap((bySecond) =>
      [...bySecond.values()].flatMap((tally) => this.valuesOf(tally)),
    );
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  /** Separates the tests of one process. */
  reset(): void {
    this.tallies.clear();
  }

  private newTally(first: string, second: number): Tally {
    const counts = new Float64Array(this.options.buckets.length + 1);
    return { labels: this.options.labelsOf(first, second), counts, sum: 0 };
  }

  private bucketOf(value: number): number {
    const { buckets } = this.options;
    let index = 0;
    while (index < buckets.length && value > (buckets[index] ?? Infinity)) index += 1;
    return index;
  }

  private valuesOf({ labels, counts, sum }: Tally): readonly object[] {
    let total = 0;
    const buckets = [...counts].map((count, index) => {
      total += count;
      const le = this.options.buckets[index] ?? '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: total },
    ];
  }
}
