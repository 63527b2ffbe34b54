import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential } from '../../http/route-rules.js';
import { ConversionRecorder } from './conversion-recorder.js';

@Controller('api/v1/partner-attribution')
export class RecordConversionController {
  constructor(@Inject(ConversionRecorder) private readonly recorder: ConversionRecorder) {}

  @Post('conversions')
  @Credential('conversion-writer')
  record(@Res() response: EdgeResponse): Promise<void> {
    return this.recorder.record(response.exchange);
  }
}
