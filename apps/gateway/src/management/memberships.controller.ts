import { Controller, Post } from '@nestjs/common';
import { MemberResource } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ResourceApi } from '../ask/resource.js';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, Credential } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';

/** Answers to an invitation: the user is not in the workspace yet, so that its own limit is charged. */
@Controller('api/v1/workspaces/:workspace_id/members')
export class MembershipsController {
  constructor(
    private readonly api: ResourceApi,
    private readonly known: KnownChanges,
  ) {}

  @Post('accept')
  @Credential('user')
  @Answers(MemberResource)
  accept(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.member;
    return this.api.act(exchange, { to: OPERATIONS.acceptMembership, params, isKnown });
  }

  @Post('decline')
  @Credential('user')
  @Answers(DeletedResource)
  decline(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.departure;
    return this.api.act(exchange, { to: OPERATIONS.declineMembership, params, isKnown });
  }
}
