import { Module } from '@nestjs/common';
import { KeyringFile } from '@truetally/keyring';
import { Asker } from '../ask/ask.js';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { ReadChainController } from './chain/read-chain.controller.js';
import { VerifyChainController } from './chain/verify-chain.controller.js';
import { ListSealedRecordsController } from './chain/list-sealed-records.controller.js';
import { CreateCommissionRuleController } from './commission-rules/create-commission-rule.controller.js';
import { ListCommissionRulesController } from './commission-rules/list-commission-rules.controller.js';
import { ConversionRecorder } from './conversions/conversion-recorder.js';
import { RecordConversionController } from './conversions/record-conversion.controller.js';
import { ListOrdersController } from './orders/list-orders.controller.js';
import { ReadOrderController } from './orders/read-order.controller.js';
import { ListTouchesController } from './touches/list-touches.controller.js';
import { RecordTouchesController } from './touches/record-touches.controller.js';
import { TouchRecorder } from './touches/touch-recorder.js';

/** Touches, conversions, orders and commission rules (interface page, sections 5 and 6). */
@Module({
  controllers: [
    RecordConversionController,
    RecordTouchesController,
    ListOrdersController,
    ListSealedRecordsController,
    ReadChainController,
    VerifyChainController,
    ReadOrderController,
    ListTouchesController,
    CreateCommissionRuleController,
    ListCommissionRulesController,
  ],
  providers: [
    provide(TouchRecorder, [SiteDirectory, KeyringFile, Asker], (...parts) => new TouchRecorder(...parts)),
    provide(ConversionRecorder, [Asker, SiteDirectory], (...parts) => new ConversionRecorder(...parts)),
  ],
})
export class PartnerAttributionModule {}
