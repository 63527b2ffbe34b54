import { format } from 'node:util';
import { jest } from '@jest/globals';

/** What a command has said, and its exit code. */
export interface Told {
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs the function of a command in the suite's own process: a process of its own costs more than what most commands do in
 * a test. That it exits with this code, and says nothing else, is for one test of each command that starts it.
 */
export async function toldBy(run: () => Promise<number>): Promise<Told> {
  const lines: string[] = [];
  const spies = (['log', 'error'] as const).map((name) =>
    jest.spyOn(console, name).mockImplementation((...parts: unknown[]) => {
      lines.push(`${format(...parts)}\n`);
    }),
  );
  try {
    const code = await run();
    return { code, output: lines.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
