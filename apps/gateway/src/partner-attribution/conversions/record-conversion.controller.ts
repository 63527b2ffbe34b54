import { Controller, Post } from '@nestjs/common';
import {
  AdjustmentEnvelope,
  CancellationEnvelope,
  ConversionAccepted,
  PurchaseEnvelope,
} from '@truetally/contracts/attribution';
import type { Exchange } from '../../http/exchange.js';
import { Credential, JsonBody, Answers, Refuses } from '../../http/route-rules.js';
import { ConversionRecorder } from './conversion-recorder.js';

/** Interface page, section 1. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

@Controller('api/v1/partner-attribution')
export class RecordConversionController {
  constructor(private readonly recorder: ConversionRecorder) {}

  @Post('conversions')
  @Credential('conversion-writer')
  @JsonBody([PurchaseEnvelope, AdjustmentEnvelope, CancellationEnvelope], { limitBytes: BODY_LIMIT_BYTES })
  @Answers(ConversionAccepted, 201, 200)
  @Refuses(409)
  record(exchange: Exchange): Promise<void> {
    return this.recorder.record(exchange);
  }
}
