import { Controller, Get } from '@nestjs/common';
import { ConsumerLag } from '@truetally/contracts/operations';
import type { Exchange } from '../http/exchange.js';
import { Credential, AnswersPageOf } from '../http/route-rules.js';
import { ConsumerLagReader } from './consumer-lag-reader.js';

@Controller('api/admin')
export class ReadConsumersController {
  constructor(private readonly consumers: ConsumerLagReader) {}

  @Get('consumers')
  @Credential('admin')
  @AnswersPageOf(ConsumerLag)
  read(exchange: Exchange): Promise<void> {
    return this.consumers.read(exchange);
  }
}
