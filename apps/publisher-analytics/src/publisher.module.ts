import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { FindClickConsumer } from './find-click/find-click.consumer.js';
import { FindClickHandler } from './find-click/find-click.handler.js';
import { ListSettlementStatesConsumer } from './list-settlement-states/list-settlement-states.consumer.js';
import { ListSettlementStatesHandler } from './list-settlement-states/list-settlement-states.handler.js';
import { ListSettlementsConsumer } from './list-settlements/list-settlements.consumer.js';
import { ListSettlementsHandler } from './list-settlements/list-settlements.handler.js';
import { ReadReportConsumer } from './read-report/read-report.consumer.js';
import { ReadReportHandler } from './read-report/read-report.handler.js';
import { RunSettlementStepConsumer } from './run-settlement-step/run-settlement-step.consumer.js';
import { RunSettlementStepHandler } from './run-settlement-step/run-settlement-step.handler.js';

@Module({})
export class PublisherModule {
  /**
   * @param parts providers for the handlers: reads, scopes, sites, SettlementImport, SettlementPull and
   * StepAttempts
   */
  static using(parts: readonly Provider[]): DynamicModule {
    return {
      module: PublisherModule,
      controllers: [
        ReadReportConsumer,
        ListSettlementsConsumer,
        ListSettlementStatesConsumer,
        FindClickConsumer,
        RunSettlementStepConsumer,
      ],
      providers: [
        ...parts,
        ReadReportHandler,
        ListSettlementsHandler,
        ListSettlementStatesHandler,
        FindClickHandler,
        RunSettlementStepHandler,
      ],
    };
  }
}
