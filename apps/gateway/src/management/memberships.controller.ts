import { Controller, Inject, Param, Post, Res } from '@nestjs/common';
import { MemberResource } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { ResourceApi } from '../http/resource-api.js';
import { Answers, Credential } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';

/** Answers to an invitation: the user is not in the workspace yet, so that its own limit is charged. */
@Controller('api/v1/workspaces/:workspace_id/members')
export class MembershipsController {
  constructor(
    @Inject(ResourceApi) private readonly api: ResourceApi,
    @Inject(KnownChanges) private readonly known: KnownChanges,
  ) {}

  @Post('accept')
  @Credential('user')
  @Answers(MemberResource)
  accept(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    const isKnown = this.known.member;
    return this.api.act(exchange, { to: OPERATIONS.acceptMembership, params, isKnown });
  }

  @Post('decline')
  @Credential('user')
  @Answers(DeletedResource)
  decline(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    const isKnown = this.known.departure;
    return this.api.act(exchange, { to: OPERATIONS.declineMembership, params, isKnown });
  }
}
