import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, JsonBody } from '../../http/route-rules.js';
import { ConversionRecorder } from './conversion-recorder.js';

/** Interface page, section 1. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

@Controller('api/v1/partner-attribution')
export class RecordConversionController {
  constructor(@Inject(ConversionRecorder) private readonly recorder: ConversionRecorder) {}

  @Post('conversions')
  @Credential('conversion-writer')
  @JsonBody({ limitBytes: BODY_LIMIT_BYTES })
  record(@Res() response: EdgeResponse): Promise<void> {
    return this.recorder.record(response.exchange);
  }
}
