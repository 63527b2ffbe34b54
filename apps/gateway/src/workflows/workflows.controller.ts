import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import {
  NewWorkflowResource,
  WORKFLOW_FILTERS,
  WorkflowBody,
  WorkflowResource,
} from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { ResourceApi } from '../ask/resource.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { WorkflowSealer } from './workflow-sealer.js';

/** Workflows of a site (interface page, section 10). */
@Controller('api/v1/workflows')
export class WorkflowsController {
  constructor(
    private readonly api: ResourceApi,
    private readonly sealer: WorkflowSealer,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(WorkflowBody)
  @Answers(NewWorkflowResource, 201)
  create(exchange: Exchange): Promise<void> {
    return this.api.create(exchange, { to: OPERATIONS.createWorkflow, ...this.sealer.create() });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...WORKFLOW_FILTERS })
  @AnswersPageOf(WorkflowResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listWorkflows }, WORKFLOW_FILTERS);
  }

  @Get(':id')
  @Credential('management-reader')
  @Answers(WorkflowResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readWorkflow, params });
  }

  @Patch(':id')
  @Credential('management-writer')
  @JsonBody(WorkflowBody)
  @Answers(NewWorkflowResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    const sealing = this.sealer.change(String(params['id']));
    return this.api.change(exchange, { to: OPERATIONS.updateWorkflow, params, ...sealing });
  }

  @Delete(':id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    return this.api.delete(exchange, { to: OPERATIONS.deleteWorkflow, params });
  }
}
