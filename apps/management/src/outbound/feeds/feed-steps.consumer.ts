import { Controller } from '@nestjs/common';
import type { JobStep } from '@truetally/contracts/jobs';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { FeedRuns } from './feed-runs.js';

@Controller()
export class FeedStepsConsumer {
  constructor(private readonly runs: FeedRuns) {}

  @Handles(OPERATIONS.runFeedStep)
  runFeedStep(step: JobStep) {
    return this.runs.handle(step);
  }
}
