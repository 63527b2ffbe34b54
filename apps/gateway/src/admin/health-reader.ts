/** Asks each dependency whether it answers now. */
export class HealthReader {
  constructor(private readonly checks: Readonly<Record<string, () => boolean | Promise<boolean>>>) {}

  async read(): Promise<Record<string, boolean>> {
    const entries = Object.entries(this.checks).map(async ([name, check]) => [name, await check()] as const);
    return Object.fromEntries(await Promise.all(entries));
  }
}
