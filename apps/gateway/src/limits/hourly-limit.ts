/** A limit and the subject that it counts. */
export interface HourlyLimit {
  /**
   * `key:<limit id>`, `site:<site id>`, `workspace:<workspace id>` or `user:<SHA-256 of the subject>`: one counter
   * per subject and UTC hour.
   */
  readonly subject: string;
  readonly perHour: number;
}

/** The rest of an hourly limit after a request, for the `X-RateLimit-*` headers. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds of the hour's end. */
  readonly resetSeconds: number;
}

/** An hourly limit at this moment. What a lowered limit has used may be more than the limit. */
export interface UsedAllowance extends Allowance {
  readonly used: number;
}
