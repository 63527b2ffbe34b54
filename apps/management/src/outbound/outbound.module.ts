import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DeliveriesConsumer } from './deliveries/deliveries.consumer.js';
import { FeedStepsConsumer } from './feeds/feed-steps.consumer.js';

@Module({})
export class OutboundModule {
  static using(providers: Provider[]): DynamicModule {
    return { module: OutboundModule, controllers: [DeliveriesConsumer, FeedStepsConsumer], providers };
  }
}
