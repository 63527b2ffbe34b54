import { Controller, Inject, Post, Res } from '@nestjs/common';
import { DuplicateEvent, TrackedEvent, TrackEvent } from '@truetally/contracts/events';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, JsonBody, AnswersByStatus } from '../http/route-rules.js';
import { EventTracker } from './event-tracker.js';

@Controller('api/v1/events')
export class TrackEventController {
  constructor(@Inject(EventTracker) private readonly tracker: EventTracker) {}

  @Post('track')
  @Credential('event-writer')
  @JsonBody(TrackEvent)
  @AnswersByStatus({ 201: TrackedEvent, 200: DuplicateEvent })
  track(@Res() response: EdgeResponse): void | Promise<void> {
    return this.tracker.track(response.exchange);
  }
}
