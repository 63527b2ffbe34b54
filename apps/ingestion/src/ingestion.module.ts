import { type DynamicModule, Module } from '@nestjs/common';
import { ReconcileEventsConsumer } from './reconcile-events/reconcile-events.consumer.js';
import { ReconcileEventsHandler } from './reconcile-events/reconcile-events.handler.js';
import { ReadEventsConsumer } from './read-events/read-events.consumer.js';
import { ReadEventsHandler } from './read-events/read-events.handler.js';
import { ReadIntakeConsumer } from './read-intake/read-intake.consumer.js';
import { ReadIntakeHandler } from './read-intake/read-intake.handler.js';
import { ReadTrailConsumer } from './read-trail/read-trail.consumer.js';
import { ReadTrailHandler } from './read-trail/read-trail.handler.js';
import { EventStore } from './storage/event.store.js';
import { ReconciliationStore } from './storage/reconciliation.store.js';
import { TrackEventConsumer } from './track-event/track-event.consumer.js';
import { TrackEventHandler } from './track-event/track-event.handler.js';

@Module({})
export class IngestionModule {
  static using(
    events: EventStore,
    reconciliation: ReconciliationStore,
    reading: ReadEventsHandler,
    intake: ReadIntakeHandler,
    trail: ReadTrailHandler,
  ): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [
        TrackEventConsumer,
        ReconcileEventsConsumer,
        ReadEventsConsumer,
        ReadIntakeConsumer,
        ReadTrailConsumer,
      ],
      providers: [
        { provide: EventStore, useValue: events },
        { provide: ReconciliationStore, useValue: reconciliation },
        { provide: ReadEventsHandler, useValue: reading },
        { provide: ReadIntakeHandler, useValue: intake },
        { provide: ReadTrailHandler, useValue: trail },
        TrackEventHandler,
        ReconcileEventsHandler,
      ],
    };
  }
}
