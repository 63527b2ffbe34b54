import { type Logger, lookOut, type LookOut } from '@truetally/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { nextInLine, storeParked } from '../storage/parked-fact.store.js';
import type { FactMatcher } from './match-facts.js';

/** How often what a process that died has left is looked for. */
const LOOK_MS = 1_000;
const RETRY_MS = 500;

interface Parts {
  readonly pool: Pool;
  readonly matcher: Pick<FactMatcher, 'matchParked'>;
  readonly log: Logger;
  /** Called when there is something to send. */
  readonly onStored: () => void;
}

/** Matches facts that wait in line, a piece of each workspace in turn. */
export class ParkedLine {
  private working: Promise<void> | undefined;
  private isWanted = false;
  private isStopping = false;
  private looks: LookOut | undefined;
  private last: string | undefined;

  constructor(private readonly parts: Parts) {}

  start(): void {
    this.looks = lookOut(LOOK_MS, () => {
      this.wake();
    });
    this.wake();
  }

  /** Call it when facts wait. */
  wake(): void {
    this.isWanted = true;
    if (this.isStopping) return;
    this.working ??= this.work().finally(() => {
      this.working = undefined;
      if (this.isWanted && !this.isStopping) this.wake();
    });
  }

  /** Resolves when the piece under way is stored. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.looks?.end();
    await this.working;
  }

  private async work(): Promise<void> {
    while (this.isWanted && !this.isStopping) {
      this.isWanted = false;
      try {
        const { pool, matcher } = this.parts;
        const workspaceId = await nextInLine(pool, this.last);
        if (workspaceId === undefined) continue;
        // Also when it fails: no other one waits for it.
        this.last = workspaceId;
        this.isWanted = true;
        this.looks?.found();
        await storeParked(pool, workspaceId, (fact) => matcher.matchParked(fact));
        this.parts.onStored();
      } catch (error) {
        this.parts.log.warn({ err: error }, 'Facts in line cannot be stored; it is tried again.');
        await delay(RETRY_MS);
        this.isWanted = true;
      }
    }
  }
}
