import { Controller, Post } from '@nestjs/common';
import { RecordedTouches, TouchesBody } from '@truetally/contracts/attribution';
import type { Exchange } from '../../http/exchange.js';
import { Credential, JsonBody, Answers, Refuses } from '../../http/route-rules.js';
import { TouchRecorder } from './touch-recorder.js';

@Controller('api/v1/partner-attribution')
export class RecordTouchesController {
  constructor(private readonly recorder: TouchRecorder) {}

  @Post('touches')
  @Credential('touch-writer-or-beacon')
  @JsonBody(TouchesBody)
  @Answers(RecordedTouches, 201, 200)
  @Refuses(409)
  record(exchange: Exchange): Promise<void> {
    return this.recorder.record(exchange);
  }
}
