import { Module } from '@nestjs/common';
import { Asker } from '../ask/ask.js';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsReader } from './analytics-reader.js';
import { EligibleSessionReader } from './eligible-session-reader.js';
import { EligibleSessionsController } from './eligible-sessions.controller.js';
import { EventLister } from './event-lister.js';

/** Reports over events and revenue (interface page, section 9). */
@Module({
  controllers: [AnalyticsController, EligibleSessionsController],
  providers: [
    provide(AnalyticsReader, [SiteDirectory, Asker], (...parts) => new AnalyticsReader(...parts)),
    provide(EligibleSessionReader, [SiteDirectory, Asker], (...parts) => new EligibleSessionReader(...parts)),
    provide(EventLister, [SiteDirectory, Asker], (...parts) => new EventLister(...parts)),
  ],
})
export class AnalyticsModule {}
