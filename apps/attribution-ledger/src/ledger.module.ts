import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CreateCommissionRuleConsumer } from './create-commission-rule/create-commission-rule.consumer.js';
import { CreateCommissionRuleHandler } from './create-commission-rule/create-commission-rule.handler.js';
import { ListCommissionRulesConsumer } from './list-commission-rules/list-commission-rules.consumer.js';
import { ListCommissionRulesHandler } from './list-commission-rules/list-commission-rules.handler.js';
import { ListOrdersConsumer } from './list-orders/list-orders.consumer.js';
import { ListOrdersHandler } from './list-orders/list-orders.handler.js';
import { ReadChainConsumer } from './read-chain/read-chain.consumer.js';
import { RunVerificationStepConsumer } from './run-verification-step/run-verification-step.consumer.js';
import { RunVerificationStepHandler } from './run-verification-step/run-verification-step.handler.js';
import { ListSealedRecordsConsumer } from './list-sealed-records/list-sealed-records.consumer.js';
import { ListSealedRecordsHandler } from './list-sealed-records/list-sealed-records.handler.js';
import { ListTouchesConsumer } from './list-touches/list-touches.consumer.js';
import { ListTouchesHandler } from './list-touches/list-touches.handler.js';
import { ReadOrderConsumer } from './read-order/read-order.consumer.js';
import { ReadOrderHandler } from './read-order/read-order.handler.js';
import { RecordConversionConsumer } from './record-conversion/record-conversion.consumer.js';
import { RecordConversionHandler } from './record-conversion/record-conversion.handler.js';
import { RecordTouchesConsumer } from './record-touches/record-touches.consumer.js';
import { RecordTouchesHandler } from './record-touches/record-touches.handler.js';

@Module({})
export class LedgerModule {
  /**
   * @param stores providers for the handlers: LedgerStore, TouchStore, RuleStore, OrderStore, OrderListStore, ChainStore, ChainVerifier, VerificationStore
   *   and OutboxRelay
   */
  static using(stores: readonly Provider[]): DynamicModule {
    return {
      module: LedgerModule,
      controllers: [
        RecordConversionConsumer,
        RecordTouchesConsumer,
        ReadOrderConsumer,
        ListOrdersConsumer,
        ListSealedRecordsConsumer,
        ReadChainConsumer,
        RunVerificationStepConsumer,
        ListTouchesConsumer,
        CreateCommissionRuleConsumer,
        ListCommissionRulesConsumer,
      ],
      providers: [
        ...stores,
        RecordConversionHandler,
        RecordTouchesHandler,
        ReadOrderHandler,
        ListOrdersHandler,
        ListSealedRecordsHandler,
        RunVerificationStepHandler,
        ListTouchesHandler,
        CreateCommissionRuleHandler,
        ListCommissionRulesHandler,
      ],
    };
  }
}
