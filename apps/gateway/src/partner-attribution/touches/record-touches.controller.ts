import { Controller, Inject, Post, Res } from '@nestjs/common';
import { RecordedTouches, TouchesBody } from '@truetally/contracts/attribution';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, JsonBody, Answers, Refuses } from '../../http/route-rules.js';
import { TouchRecorder } from './touch-recorder.js';

@Controller('api/v1/partner-attribution')
export class RecordTouchesController {
  constructor(@Inject(TouchRecorder) private readonly recorder: TouchRecorder) {}

  @Post('touches')
  @Credential('touch-writer-or-beacon')
  @JsonBody(TouchesBody)
  @Answers(RecordedTouches, 201, 200)
  @Refuses(409)
  record(@Res() response: EdgeResponse): Promise<void> {
    return this.recorder.record(response.exchange);
  }
}
