import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential } from '../http/route-rules.js';
import { EventTracker } from './event-tracker.js';

@Controller('api/v1/events')
export class TrackEventController {
  constructor(@Inject(EventTracker) private readonly tracker: EventTracker) {}

  @Post('track')
  @Credential('event-writer')
  track(@Res() response: EdgeResponse): Promise<void> {
    return this.tracker.track(response.exchange);
  }
}
