import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential } from '../http/route-rules.js';
import { ConsumerLagReader } from './consumer-lag-reader.js';

@Controller('api/admin')
export class ReadConsumersController {
  constructor(@Inject(ConsumerLagReader) private readonly consumers: ConsumerLagReader) {}

  @Get('consumers')
  @Credential('admin')
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.consumers.read(exchange);
  }
}
