import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ConsumerLag } from '@truetally/contracts/operations';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, AnswersPageOf } from '../http/route-rules.js';
import { ConsumerLagReader } from './consumer-lag-reader.js';

@Controller('api/admin')
export class ReadConsumersController {
  constructor(@Inject(ConsumerLagReader) private readonly consumers: ConsumerLagReader) {}

  @Get('consumers')
  @Credential('admin')
  @AnswersPageOf(ConsumerLag)
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.consumers.read(exchange);
  }
}
