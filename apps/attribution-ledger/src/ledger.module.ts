import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxRelay } from '@truetally/persistence';
import pg from 'pg';
import { RecordConversionConsumer } from './record-conversion/record-conversion.consumer.js';
import { RecordConversionHandler } from './record-conversion/record-conversion.handler.js';
import { LedgerStore } from './storage/ledger.store.js';

@Module({})
export class LedgerModule {
  static using(pool: pg.Pool, relay: OutboxRelay, ledger: LedgerStore): DynamicModule {
    return {
      module: LedgerModule,
      controllers: [RecordConversionConsumer],
      providers: [
        { provide: pg.Pool, useValue: pool },
        { provide: OutboxRelay, useValue: relay },
        { provide: LedgerStore, useValue: ledger },
        RecordConversionHandler,
      ],
    };
  }
}
