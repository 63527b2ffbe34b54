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
  private newest = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly parts: KeyUsesParts) {
    this.timer = setInterval(() => void this.flush(), parts.intervalMs);
    this.timer.unref();
  }

  note(keyId: string, atMs: number): void {
    this.newest.set(keyId, atMs);
    if (this.newest.size >= MAX_KEY_USES) void this.flush();
  }

  /** Sends what was collected since the last time. */
  async flush(): Promise<void> {
    if (this.newest.size === 0) return;
    const uses: KeyUse[] = Array.from(this.newest, ([key_id, at_ms]) => ({ key_id, at_ms }));
    this.newest = new Map();
    try {
      await this.parts.tell({ uses });
    } catch (error) {
      this.parts.onError(error);
    }
  }

  /** The last uses go with what the client still sends: while Kafka is away nobody can wait for them. */
  close(): void {
    clearInterval(this.timer);
    void this.flush();
  }
}
