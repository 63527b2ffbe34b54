import { Controller, Post } from '@nestjs/common';
import { RuntimeTokenAnswer, RuntimeTokenRequest } from '@truetally/contracts/runtime';
import type { Exchange } from '../http/exchange.js';
import { Credential, JsonBody, Answers } from '../http/route-rules.js';
import { RuntimeTokenIssuer } from './runtime-token-issuer.js';

/** Interface page, section 1: read before the caller is known. */
const BODY_LIMIT_BYTES = 4 * 1024;

@Controller('api/v1/runtime')
export class CreateRuntimeTokenController {
  constructor(private readonly issuer: RuntimeTokenIssuer) {}

  @Post('tokens')
  @Credential('listed-page')
  @JsonBody(RuntimeTokenRequest, { limitBytes: BODY_LIMIT_BYTES })
  @Answers(RuntimeTokenAnswer, 201)
  create(exchange: Exchange): Promise<void> {
    return this.issuer.issue(exchange);
  }
}
