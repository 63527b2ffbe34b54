import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { EligibleSessionsConsumer } from './eligible-sessions/eligible-sessions.consumer.js';
import { ListEventsConsumer } from './list-events/list-events.consumer.js';
import { ReadRecommendationsConsumer } from './read-recommendations/read-recommendations.consumer.js';
import { ReadSeenSessionsConsumer } from './read-seen-sessions/read-seen-sessions.consumer.js';
import { RevenueConsumer } from './report-revenue/revenue.consumer.js';
import { TrafficConsumer } from './report-traffic/traffic.consumer.js';

@Module({})
export class AnalyticsModule {
  /** @param parts the handlers */
  static using(parts: readonly Provider[]): DynamicModule {
    return {
      module: AnalyticsModule,
      controllers: [
        TrafficConsumer,
        RevenueConsumer,
        ListEventsConsumer,
        EligibleSessionsConsumer,
        ReadRecommendationsConsumer,
        ReadSeenSessionsConsumer,
      ],
      providers: [...parts],
    };
  }
}
