import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, JsonBody } from '../../http/route-rules.js';
import { TouchRecorder } from './touch-recorder.js';

@Controller('api/v1/partner-attribution')
export class RecordTouchesController {
  constructor(@Inject(TouchRecorder) private readonly recorder: TouchRecorder) {}

  @Post('touches')
  @Credential('touch-writer-or-beacon')
  @JsonBody()
  record(@Res() response: EdgeResponse): Promise<void> {
    return this.recorder.record(response.exchange);
  }
}
