import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential } from '../http/route-rules.js';
import { RuntimeTokenIssuer } from './runtime-token-issuer.js';

@Controller('api/v1/runtime')
export class CreateRuntimeTokenController {
  constructor(@Inject(RuntimeTokenIssuer) private readonly issuer: RuntimeTokenIssuer) {}

  @Post('tokens')
  @Credential('public')
  create(@Res() response: EdgeResponse): Promise<void> {
    return this.issuer.issue(response.exchange);
  }
}
