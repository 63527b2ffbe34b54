import { type KeyUse, MAX_KEY_USES, type RecordKeyUse } from '@truetally/contracts/management';

export interface KeyUsesParts {
  /** Sends the uses to their store; rejects when that fails. */
  readonly tell: (told: RecordKeyUse) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly intervalMs: number;
}

/**
 * Times of key uses, collected in memory and sent periodically: no request costs a write. A use is sent
 * within the interval; uses that a killed process had not sent are replaced by the key's next use.
 */
export class KeyUses {
  private readonly newest = new Map<string, number>();
  private isTelling = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly parts: KeyUsesParts) {
    this.timer = setInterval(() => void this.flush(), parts.intervalMs);
    this.timer.unref();
  }

  note(keyId: string, atMs: number): void {
    this.newest.set(keyId, atMs);
    if (this.newest.size >= MAX_KEY_USES) void this.flush();
  }

  /** Sends what was collected since the last time. While Kafka has not taken that, uses wait here: one of each key. */
  async flush(): Promise<void> {
    if (this.isTelling || this.newest.size === 0) return;
    this.isTelling = true;
    try {
      await this.parts.tell({ uses: this.takeUses() });
    } catch (error) {
      this.parts.onError(error);
    } finally {
      this.isTelling = false;
    }
  }

  /** The last uses go with what the client still sends: while Kafka is away nobody can wait for them. */
  close(): void {
    clearInterval(this.timer);
    void this.flush();
  }

  /** As many as a message may have, first come first told. */
  private takeUses(): readonly KeyUse[] {
    const uses: KeyUse[] = [];
    for (const [keyId, atMs] of this.newest) {
      if (uses.push({ key_id: keyId, at_ms: atMs }) === MAX_KEY_USES) break;
    }
    for (const { key_id: keyId } of uses) this.newest.delete(keyId);
    return uses;
  }
}
