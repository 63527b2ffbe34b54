/** What an hourly limit has left after a request, as the `X-RateLimit-*` headers say it. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds of the hour's end. */
  readonly resetSeconds: number;
}
