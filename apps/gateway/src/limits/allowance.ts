/** The rest of an hourly limit after a request, for the `X-RateLimit-*` headers. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds of the hour's end. */
  readonly resetSeconds: number;
}
