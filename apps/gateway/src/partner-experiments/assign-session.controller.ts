import { Controller, Post } from '@nestjs/common';
import { AssignSessionBody, SessionAssignments } from '@truetally/contracts/experiments';
import type { Exchange } from '../http/exchange.js';
import { Credential, JsonBody, Answers } from '../http/route-rules.js';
import { SessionAssigner } from './session-assigner.js';

@Controller('api/v1/partner-experiments/assignments')
export class AssignSessionController {
  constructor(private readonly assigner: SessionAssigner) {}

  @Post()
  @Credential('storefront-reader')
  @JsonBody(AssignSessionBody)
  @Answers(SessionAssignments, 201, 200)
  assign(exchange: Exchange): Promise<void> {
    return this.assigner.assign(exchange);
  }
}
