import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { ReadReportHandler } from './read-report.handler.js';

@Controller()
export class ReadReportConsumer {
  constructor(@Inject(ReadReportHandler) private readonly handler: ReadReportHandler) {}

  @MessagePattern(OPERATIONS.readPublisherReport)
  readReport(@Payload() message: unknown): Promise<Reply<object>> {
    return this.handler.handle(message);
  }
}
