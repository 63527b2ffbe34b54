import { Controller, Post } from '@nestjs/common';
import { DuplicateEvent, TrackedEvent, TrackEvent } from '@truetally/contracts/events';
import type { Exchange } from '../http/exchange.js';
import { AnswersByStatus, Credential, JsonBody, Refuses } from '../http/route-rules.js';
import { EventTracker } from './event-tracker.js';
import { EVENT_CUT } from './prepare-event.js';

@Controller('api/v1/events')
export class TrackEventController {
  constructor(private readonly tracker: EventTracker) {}

  @Post('track')
  @Credential('event-writer')
  @JsonBody(TrackEvent, { cut: EVENT_CUT })
  @AnswersByStatus({ 201: TrackedEvent, 200: DuplicateEvent })
  // The person was erased.
  @Refuses(403)
  track(exchange: Exchange): void | Promise<void> {
    return this.tracker.track(exchange);
  }
}
