import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { AnsweredAtEdge, Credential, JsonBody } from '../http/route-rules.js';
import { EventTracker } from './event-tracker.js';

@Controller('api/v1/events')
export class TrackEventController {
  constructor(@Inject(EventTracker) private readonly tracker: EventTracker) {}

  @Post('track')
  @AnsweredAtEdge()
  @Credential('event-writer')
  @JsonBody()
  track(@Res() response: EdgeResponse): void | Promise<void> {
    return this.tracker.track(response.exchange);
  }
}
