import { Module } from '@nestjs/common';
import { KeyringFile } from '@truetally/keyring';
import { Asker } from '../ask/ask.js';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { BatchTracker } from './batch-tracker.js';
import { ClickReferences } from './click-references.js';
import { EventStoreClient } from './event-store-client.js';
import { EventTracker } from './event-tracker.js';
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
    EventTracker,
    BatchTracker,
  ],
})
export class EventsModule {}
