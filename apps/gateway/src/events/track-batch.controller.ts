import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { AnsweredAtEdge, Credential, JsonBody } from '../http/route-rules.js';
import { BatchTracker, costOfBatch } from './batch-tracker.js';

@Controller('api/v1/events')
export class TrackBatchController {
  constructor(@Inject(BatchTracker) private readonly tracker: BatchTracker) {}

  @Post('batch')
  @AnsweredAtEdge()
  @Credential('event-writer-or-beacon')
  @JsonBody({ costOf: costOfBatch })
  track(@Res() response: EdgeResponse): void | Promise<void> {
    return this.tracker.track(response.exchange);
  }
}
