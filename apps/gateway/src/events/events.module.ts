import { Module } from '@nestjs/common';
import { KeyringFile } from '@truetally/keyring';
import { Asker } from '../ask/ask.js';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { BatchTracker } from './batch-tracker.js';
import { ClickReferences } from './click-references.js';
import { EventStoreClient } from './event-store-client.js';
import { EventTracker } from './event-tracker.js';
import { RefusedEvents } from './refused-events.js';
import { TrackBatchController } from './track-batch.controller.js';
import { TrackEventController } from './track-event.controller.js';

/** Events of storefronts and their backends (interface page, section 4). */
@Module({
  controllers: [TrackEventController, TrackBatchController],
  providers: [
    provide(
      ClickReferences,
      [Asker, KeyringFile, SiteDirectory],
      (...parts) => new ClickReferences(...parts),
    ),
    provide(EventStoreClient, [Asker, ClickReferences], (...parts) => new EventStoreClient(...parts)),
    provide(RefusedEvents, [Asker, GatewayFoundation], (asker, { log, metrics, closing }) => {
      const refusedEvents = new RefusedEvents(asker, log);
      metrics.observed(
        'gateway_refused_events_unwritten',
        'Refused events that are not on the log yet; a gateway that is killed loses them from the counters.',
        () => refusedEvents.unwritten,
      );
      closing.add(() => refusedEvents.close());
      return refusedEvents;
    }),
    provide(EventTracker, [EventStoreClient, RefusedEvents], (...parts) => new EventTracker(...parts)),
    provide(BatchTracker, [EventStoreClient, RefusedEvents], (...parts) => new BatchTracker(...parts)),
  ],
})
export class EventsModule {}
