import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AssignSessionConsumer } from './assign-session/assign-session.consumer.js';
import { AssignSessionHandler } from './assign-session/assign-session.handler.js';
import { ExperimentsConsumer } from './experiments/experiments.consumer.js';
import { PlanSampleConsumer } from './plan-sample/plan-sample.consumer.js';
import { ReadWithheldConsumer } from './read-withheld/read-withheld.consumer.js';
import { ReportResultsConsumer } from './report-results/report-results.consumer.js';

@Module({})
export class ExperimentsModule {
  /**
   * @param parts providers for the consumers: ResourceDatabase, SiteCopies, AssignmentStore, WithheldStore
   * and OutboxRelay
   */
  static using(parts: readonly Provider[]): DynamicModule {
    return {
      module: ExperimentsModule,
      controllers: [
        AssignSessionConsumer,
        ReadWithheldConsumer,
        ExperimentsConsumer,
        ReportResultsConsumer,
        PlanSampleConsumer,
      ],
      providers: [...parts, AssignSessionHandler],
    };
  }
}
