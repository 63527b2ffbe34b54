import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CompactedTable, type CompactedTableOptions } from '@truetally/messaging';
import type { OnUnreadable } from '../credentials/directory-feed.js';
import { GatewayFoundation } from './gateway-foundation.js';
import { HealthReader } from '@truetally/service';

export interface FactTable {
  /** Its name in `GET /api/admin/health`. */
  readonly name: string;
  readonly topic: string;
  /**
   * Access to the table's keys: after a time without Kafka the topic is reread, and keys that it no longer
   * has are removed.
   */
  readonly held: NonNullable<CompactedTableOptions['held']>;
  /** @param value null when the fact was deleted */
  readonly apply: (
    key: string,
    value: string | null,
    onUnreadable: OnUnreadable,
    incarnation: number,
  ) => void;
}

/** Compacted topics that the gateway keeps in memory, each read to its end before the first request. */
@Injectable()
export class FactTables implements OnModuleInit {
  private readonly added: FactTable[] = [];

  constructor(
    private readonly foundation: GatewayFoundation,
    private readonly health: HealthReader,
  ) {}

  /** Its current content is applied before the application has started; later facts are applied as they arrive. */
  add(table: FactTable): void {
    this.added.push(table);
  }

  async onModuleInit(): Promise<void> {
    const { messaging, closing } = this.foundation;
    const tables = await CompactedTable.openAll(
      messaging,
      this.added.map(({ topic, held, apply }) => ({
        topic,
        held,
        apply: (key, value, incarnation) => apply(key, value, this.onUnreadable, incarnation),
      })),
    );
    for (const [index, { name }] of this.added.entries()) {
      const table = tables[index];
      if (table === undefined) continue;
      this.health.add(name, () => table.healthy());
      closing.add(() => table.close());
    }
  }

  private readonly onUnreadable: OnUnreadable = (topic, record, fault) => {
    const { log, messaging } = this.foundation;
    messaging.onMetric('messaging_table_failures_total', 1, { topic });
    log.error({ topic, record, fault }, 'A fact cannot be read; what it is about is refused.');
  };
}
