import { Module } from '@nestjs/common';
import { KeyringFile } from '@truetally/keyring';
import { KafkaAskClient } from '@truetally/messaging';
import { Entrance } from '../admission/entrance.js';
import { bodyRulesOf } from '../core/body-rules.js';
import { provide } from '../core/provide.js';
import { Authenticator } from '../credentials/authenticate.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { BodyBudget } from '../http/body-budget.js';
import { HourlyLimiter } from '../limits/hourly-limiter.js';
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

/** Interface page, section 1. */
const CONVERSION_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

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
    provide(SiteReads, [Entrance, SiteDirectory], (...parts) => new SiteReads(...parts)),
    provide(
      TouchRecorder,
      [Entrance, SiteDirectory, KeyringFile, TouchLedgerClient],
      (...parts) => new TouchRecorder(...parts),
    ),
    provide(
      ConversionRecorder,
      [Authenticator, HourlyLimiter, BodyBudget, KafkaAskClient, OrderLedgerClient, SiteDirectory],
      (authenticator, limiter, budget, asker, orders, sites) => {
        const bodyRules = bodyRulesOf(budget, CONVERSION_BODY_LIMIT_BYTES);
        const isServing = (): boolean => asker.isAccepting();
        const entrance = new Entrance({ authenticator, limiter, bodyRules, isServing });
        return new ConversionRecorder(entrance, orders, sites);
      },
    ),
    provide(OrderReader, [SiteReads, OrderLedgerClient], (...parts) => new OrderReader(...parts)),
    provide(
      CommissionRuleCreator,
      [Entrance, SiteDirectory, OrderLedgerClient],
      (...parts) => new CommissionRuleCreator(...parts),
    ),
  ],
})
export class PartnerAttributionModule {}
