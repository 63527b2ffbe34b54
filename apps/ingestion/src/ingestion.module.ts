import { type DynamicModule, Module } from '@nestjs/common';
import { ReconcileEventsConsumer } from './reconcile-events/reconcile-events.consumer.js';
import { ReconcileEventsHandler } from './reconcile-events/reconcile-events.handler.js';
import { EventStore } from './storage/event.store.js';
import { ReconciliationStore } from './storage/reconciliation.store.js';
import { StoreEventsConsumer } from './store-events/store-events.consumer.js';
import { StoreEventsHandler } from './store-events/store-events.handler.js';

@Module({})
export class IngestionModule {
  static using(events: EventStore, reconciliation: ReconciliationStore): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [StoreEventsConsumer, ReconcileEventsConsumer],
      providers: [
        { provide: EventStore, useValue: events },
        { provide: ReconciliationStore, useValue: reconciliation },
        StoreEventsHandler,
        ReconcileEventsHandler,
      ],
    };
  }
}
