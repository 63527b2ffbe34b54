import type { Metrics } from '@truetally/platform';
import type { Exchange } from './exchange.js';

const UNROUTED = 'none';
const MS_PER_SECOND = 1_000;

/** Counts answers and their latency from the request's head, by route and status. */
export class RequestCounter {
  private readonly durations;

  constructor(metrics: Metrics) {
    this.durations = metrics.tallied(
      'http_request_duration_seconds',
      'From the head of a request to its answer, by route and status; its count is the number of answers.',
      (route, status) => ({ route, status: String(status) }),
    );
  }

  readonly count = (exchange: Exchange, status: number): void => {
    const seconds = (performance.now() - exchange.beganMs) / MS_PER_SECOND;
    this.durations.observe(exchange.route?.path ?? UNROUTED, status, seconds);
  };
}
