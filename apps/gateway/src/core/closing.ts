type Step = () => Promise<void> | void;

/** What has to be let go of when the gateway stops: what was opened last first, because it may use what was there before. */
export class Closing {
  private readonly steps: Step[] = [];

  /** To be called when the thing is open. */
  add(step: Step): void {
    this.steps.push(step);
  }

  async close(): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) await step();
  }
}
