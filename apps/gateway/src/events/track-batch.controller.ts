import { Controller, Post } from '@nestjs/common';
import { TrackBatch, TrackedBatch } from '@truetally/contracts/events';
import type { Exchange } from '../http/exchange.js';
import { Credential, JsonBody, Answers } from '../http/route-rules.js';
import { BatchTracker, costOfBatch } from './batch-tracker.js';
import { EVENTS_CUT } from './prepare-event.js';

@Controller('api/v1/events')
export class TrackBatchController {
  constructor(private readonly tracker: BatchTracker) {}

  @Post('batch')
  @Credential('event-writer-or-beacon')
  @JsonBody(TrackBatch, { costOf: costOfBatch, cut: EVENTS_CUT })
  @Answers(TrackedBatch, 201, 207)
  track(exchange: Exchange): void | Promise<void> {
    return this.tracker.track(exchange);
  }
}
