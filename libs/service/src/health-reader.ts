import { withinTime } from '@truetally/platform';

type Check = () => boolean | Promise<boolean>;

/** Less than a probe and a scrape wait. */
const CHECK_TIMEOUT_MS = 1_500;

/** Checks whether each dependency answers now. */
export class HealthReader {
  private readonly checks = new Map<string, Check>();

  constructor(private readonly timeoutMs = CHECK_TIMEOUT_MS) {}

  add(name: string, check: Check): void {
    this.checks.set(name, check);
  }

  /** Whether each answers, by name. One that throws, or that takes too long, does not. */
  async read(): Promise<Record<string, boolean>> {
    const entries = [...this.checks].map(async ([name, check]) => [name, await this.ask(check)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  private async ask(check: Check): Promise<boolean> {
    try {
      return await withinTime((async () => check())(), this.timeoutMs, false);
    } catch {
      return false;
    }
  }
}
