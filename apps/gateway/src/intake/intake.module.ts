import { Module } from '@nestjs/common';
import { Asker } from '../ask/ask.js';
import { provide } from '../core/provide.js';
import { KeyDirectory } from '../credentials/key-directory.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { HourlyLimiter } from '../limits/hourly-limiter.js';
import { IntakeController } from './intake.controller.js';
import { IntakeReader } from './intake-reader.js';

/** Whether a site's traffic arrives (interface page, section 9). */
@Module({
  controllers: [IntakeController],
  providers: [
    provide(
      IntakeReader,
      [SiteDirectory, KeyDirectory, HourlyLimiter, Asker],
      (...parts) => new IntakeReader(...parts),
    ),
  ],
})
export class IntakeModule {}
