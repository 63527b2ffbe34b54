import { type DynamicModule, Module } from '@nestjs/common';
import { ReconcileEventsConsumer } from './reconcile-events/reconcile-events.consumer.js';
import { ReconcileEventsHandler } from './reconcile-events/reconcile-events.handler.js';
import { RunJobStepConsumer } from './run-job-step/run-job-step.consumer.js';
import { RunJobStepHandler } from './run-job-step/run-job-step.handler.js';
import { EventErasure } from './storage/event.erasure.js';
import { EventStore } from './storage/event.store.js';
import { ReconciliationStore } from './storage/reconciliation.store.js';
import { StoreEventsConsumer } from './store-events/store-events.consumer.js';
import { StoreEventsHandler } from './store-events/store-events.handler.js';

@Module({})
export class IngestionModule {
  static using(
    events: EventStore,
    reconciliation: ReconciliationStore,
    erasure: EventErasure,
  ): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [StoreEventsConsumer, ReconcileEventsConsumer, RunJobStepConsumer],
      providers: [
        { provide: EventStore, useValue: events },
        { provide: ReconciliationStore, useValue: reconciliation },
        { provide: EventErasure, useValue: erasure },
        StoreEventsHandler,
        ReconcileEventsHandler,
        RunJobStepHandler,
      ],
    };
  }
}
