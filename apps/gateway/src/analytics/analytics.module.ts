import { Module } from '@nestjs/common';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { KeyDirectory } from '../credentials/key-directory.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsReader } from './analytics-reader.js';
import { EligibleSessionReader } from './eligible-session-reader.js';
import { EligibleSessionsController } from './eligible-sessions.controller.js';
import { EventLister } from './event-lister.js';
import { OpenStreams } from './stream-events/open-streams.js';
import { openStreamOpener } from './stream-events/open-stream-opener.js';
import { ReaderStanding } from './stream-events/reader-standing.js';
import { TrailReader } from './trail-reader.js';
import { StreamOpener } from './stream-events/stream-opener.js';

/** Reports over events and revenue (interface page, section 9). */
@Module({
  controllers: [AnalyticsController, EligibleSessionsController],
  providers: [
    AnalyticsReader,
    EligibleSessionReader,
    EventLister,
    TrailReader,
    provide(
      OpenStreams,
      [GatewayFoundation, SiteDirectory, KeyDirectory, MemberDirectory],
      ({ metrics }, sites, keys, members) => {
        return new OpenStreams(new ReaderStanding(sites, keys, members), metrics);
      },
    ),
    provide(StreamOpener, [GatewayFoundation, OpenStreams], openStreamOpener),
  ],
})
export class AnalyticsModule {}
