import { CompactedTable, type CompactedTableOptions } from '@truetally/messaging';
import type { OnUnreadable } from '../credentials/directory-feed.js';
import type { GatewayFoundation } from './gateway-foundation.js';
import type { HealthReader } from '@truetally/service';

export interface FactTable {
  /** In what `GET /api/admin/health` answers. */
  readonly name: string;
  readonly topic: string;
  /** @param value null when the fact is no longer true */
  /** What is known of the topic: read anew after a time without Kafka, it forgets what the topic does not have any more. */
  readonly held: NonNullable<CompactedTableOptions['held']>;
  readonly apply: (key: string, value: string | null, onUnreadable: OnUnreadable) => void;
}

/** Compacted topics that the gateway holds in memory, each read to its end before the first request. */
export class FactTables {
  constructor(
    private readonly foundation: GatewayFoundation,
    private readonly health: HealthReader,
  ) {}

  /** Resolves when all that the topic says now has been applied; what it says later is applied as it comes. */
  async open({ name, topic, held, apply }: FactTable): Promise<void> {
    const { messaging, closing } = this.foundation;
    const table = await CompactedTable.open(messaging, {
      topic,
      held,
      apply: (key, value) => apply(key, value, this.onUnreadable),
    });
    this.health.add(name, () => table.healthy());
    closing.add(() => table.close());
  }

  private readonly onUnreadable: OnUnreadable = (topic, key, fault) => {
    const { log } = this.foundation;
    log.error({ topic, record: key, fault }, 'A fact cannot be read; what it is about is refused.');
  };
}
