type Step = () => Promise<void> | void;

/**
 * Steps that close the gateway's resources in reverse order of opening, because later ones may use earlier
 * ones.
 */
export class Closing {
  private readonly steps: Step[] = [];

  /** Call it when the resource is open. */
  add(step: Step): void {
    this.steps.push(step);
  }

  async close(): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) await step();
  }
}
