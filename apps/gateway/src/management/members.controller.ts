import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { MemberResource, MemberBody } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/workspaces/:workspace_id/members')
export class MembersController {
  constructor(
    private readonly api: ResourceApi,
    private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('workspace-writer')
  @JsonBody(MemberBody)
  @Answers(MemberResource, 201)
  create(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.member;
    return this.api.create(exchange, { to: OPERATIONS.createMember, params, isKnown });
  }

  @Get()
  @Credential('workspace-member')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(MemberResource)
  list(exchange: Exchange, params: Params): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listMembers, params });
  }

  @Get(':member_id')
  @Credential('workspace-member')
  @Answers(MemberResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readMember, params });
  }

  @Patch(':member_id')
  @Credential('workspace-writer')
  @JsonBody(MemberBody)
  @Answers(MemberResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.member;
    return this.api.change(exchange, { to: OPERATIONS.updateMember, params, isKnown });
  }

  /** Any member may leave; the service decides by both roles whether a member may remove another. */
  @Delete(':member_id')
  @Credential('workspace-member')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.departure;
    return this.api.delete(exchange, { to: OPERATIONS.deleteMember, params, isKnown });
  }
}
