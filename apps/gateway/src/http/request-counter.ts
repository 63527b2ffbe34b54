import type { Metrics } from '@truetally/platform';
import type { Exchange } from './exchange.js';

const FLUSH_MS = 1_000;
const UNROUTED = 'none';

/**
 * Counts answers by route and status. A counter of the metrics library costs a hash of its labels at each step, so
 * the hot path counts in a plain map, which goes to the library once a second.
 */
export class RequestCounter {
  private readonly counts = new Map<string, Map<number, number>>();
  private readonly timer: NodeJS.Timeout;
  private readonly counter;

  constructor(metrics: Metrics) {
    this.counter = metrics.counter('http_answers_total', 'Answers by route and status.', ['route', 'status']);
    this.timer = setInterval(() => this.flush(), FLUSH_MS);
    this.timer.unref();
  }

  readonly count = (exchange: Exchange, status: number): void => {
    const route = exchange.route?.path ?? UNROUTED;
    let byStatus = this.counts.get(route);
    if (byStatus === undefined) this.counts.set(route, (byStatus = new Map()));
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  };

  close(): void {
    clearInterval(this.timer);
    this.flush();
  }

  private flush(): void {
    for (const [route, byStatus] of this.counts) {
      for (const [status, count] of byStatus) this.counter.inc({ route, status: String(status) }, count);
      byStatus.clear();
    }
  }
}
