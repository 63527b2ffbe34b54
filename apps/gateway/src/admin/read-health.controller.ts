import { Controller, Get } from '@nestjs/common';
import { HealthReader } from '@truetally/service';
import { PlatformHealth } from '@truetally/contracts/operations';
import type { Exchange } from '../http/exchange.js';
import { answer } from '../http/respond.js';
import { Credential, Answers } from '../http/route-rules.js';

@Controller('api/admin')
export class ReadHealthController {
  constructor(private readonly health: HealthReader) {}

  @Get('health')
  @Credential('admin')
  @Answers(PlatformHealth)
  async read(exchange: Exchange): Promise<void> {
    const dependencies = await this.health.read();
    const status = Object.values(dependencies).every(Boolean) ? 'ok' : 'degraded';
    answer(exchange, 200, JSON.stringify({ status, dependencies }));
  }
}
