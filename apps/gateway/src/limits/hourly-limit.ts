/** A limit and the subject that it counts. */
export interface HourlyLimit {
  /**
   * `key:<limit id>`, `site:<site id>`, `workspace:<workspace id>` or `user:<SHA-256 of the subject>`: one counter
   * per subject and UTC hour.
   */
  readonly subject: string;
  readonly perHour: number;
}
