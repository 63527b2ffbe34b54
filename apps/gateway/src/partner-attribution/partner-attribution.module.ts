import { Module } from '@nestjs/common';
import { KeyringFile } from '@truetally/keyring';
import { KafkaAskClient } from '@truetally/messaging';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { CommissionRuleCreator } from './commission-rules/commission-rule-creator.js';
import { CreateCommissionRuleController } from './commission-rules/create-commission-rule.controller.js';
import { ListCommissionRulesController } from './commission-rules/list-commission-rules.controller.js';
import { ConversionRecorder } from './conversions/conversion-recorder.js';
import { RecordConversionController } from './conversions/record-conversion.controller.js';
import { OrderLedgerClient } from './order-ledger-client.js';
import { OrderReader } from './orders/order-reader.js';
import { ReadOrderController } from './orders/read-order.controller.js';
import { SiteReads } from './site-reads.js';
import { ListTouchesController } from './touches/list-touches.controller.js';
import { RecordTouchesController } from './touches/record-touches.controller.js';
import { TouchLedgerClient } from './touches/touch-ledger-client.js';
import { TouchRecorder } from './touches/touch-recorder.js';

/** Touches, conversions, orders and commission rules (interface page, sections 5 and 6). */
@Module({
  controllers: [
    RecordConversionController,
    RecordTouchesController,
    ReadOrderController,
    ListTouchesController,
    CreateCommissionRuleController,
    ListCommissionRulesController,
  ],
  providers: [
    provide(OrderLedgerClient, [KafkaAskClient], (asker) => new OrderLedgerClient(asker)),
    provide(TouchLedgerClient, [KafkaAskClient], (asker) => new TouchLedgerClient(asker)),
    provide(SiteReads, [SiteDirectory], (sites) => new SiteReads(sites)),
    provide(
      TouchRecorder,
      [SiteDirectory, KeyringFile, TouchLedgerClient],
      (...parts) => new TouchRecorder(...parts),
    ),
    provide(
      ConversionRecorder,
      [OrderLedgerClient, SiteDirectory],
      (...parts) => new ConversionRecorder(...parts),
    ),
    provide(OrderReader, [SiteReads, OrderLedgerClient], (...parts) => new OrderReader(...parts)),
    provide(
      CommissionRuleCreator,
      [SiteDirectory, OrderLedgerClient],
      (...parts) => new CommissionRuleCreator(...parts),
    ),
  ],
})
export class PartnerAttributionModule {}
