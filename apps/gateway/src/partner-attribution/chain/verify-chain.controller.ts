import { Controller, Post } from '@nestjs/common';
import { VerificationBody } from '@truetally/contracts/attribution';
import { StartedJob } from '@truetally/contracts/jobs';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ResourceApi } from '../../ask/resource.js';
import type { Exchange } from '../../http/exchange.js';
import { Answers, Credential, JsonBody } from '../../http/route-rules.js';

/** Begins a verification of the site's chain as a job (interface page, section 6). */
@Controller('api/v1/partner-attribution/chain')
export class VerifyChainController {
  constructor(private readonly api: ResourceApi) {}

  @Post('verifications')
  @Credential('management-writer')
  @JsonBody(VerificationBody)
  @Answers(StartedJob, 202)
  begin(exchange: Exchange): Promise<void> {
    return this.api.accept(exchange, { to: OPERATIONS.beginLedgerVerification });
  }
}
