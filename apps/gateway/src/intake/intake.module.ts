import { Module } from '@nestjs/common';
import { IntakeController } from './intake.controller.js';
import { IntakeReader } from './intake-reader.js';

/** Whether a site's traffic arrives (interface page, section 9). */
@Module({
  controllers: [IntakeController],
  providers: [IntakeReader],
})
export class IntakeModule {}
