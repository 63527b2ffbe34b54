type Check = () => boolean | Promise<boolean>;

/** Checks whether each dependency answers now. */
export class HealthReader {
  private readonly checks = new Map<string, Check>();

  add(name: string, check: Check): void {
    this.checks.set(name, check);
  }

  async read(): Promise<Record<string, boolean>> {
    const entries = [...this.checks].map(async ([name, check]) => [name, await check()] as const);
    return Object.fromEntries(await Promise.all(entries));
  }
}
