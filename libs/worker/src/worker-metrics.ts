/** What became of a fact. */
export type FactOutcome = 'made' | 'known' | 'failed' | 'dead';

const HELP = {
  truetally_worker_facts_total: ['counter', 'Facts by outcome: made, known, failed (tried again), dead.'],
  truetally_worker_lag: ['gauge', 'Messages that were written and not yet committed as read.'],
} as const;

/** Counts of one worker, for Prometheus. */
export class WorkerMetrics {
  private readonly facts = new Map<string, number>();
  private lag: ReadonlyMap<string, number> = new Map();

  count(topic: string, outcome: FactOutcome): void {
    const labels = `topic="${topic}",outcome="${outcome}"`;
    this.facts.set(labels, (this.facts.get(labels) ?? 0) + 1);
  }

  setLag(
    partitions: readonly { readonly topic: string; readonly partition: number; readonly lag: number }[],
  ): void {
    this.lag = new Map(
      partitions.map(({ topic, partition, lag }) => [`topic="${topic}",partition="${partition}"`, lag]),
    );
  }

  /** In the text format of Prometheus. */
  text(): string {
    return [
      ...lines('truetally_worker_facts_total', this.facts),
      ...lines('truetally_worker_lag', this.lag),
      '',
    ].join('\n');
  }
}

function lines(name: keyof typeof HELP, values: ReadonlyMap<string, number>): readonly string[] {
  const [kind, help] = HELP[name];
  const samples = [...values].map(([labels, value]) => `${name}{${labels}} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...samples];
}
