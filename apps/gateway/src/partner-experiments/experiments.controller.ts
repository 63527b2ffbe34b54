import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import {
  EXPERIMENT_STATES,
  ExclusionsBody,
  ExperimentBody,
  ExperimentResource,
} from '@truetally/contracts/experiments';
import type { CommandAnswer, ResourceCommand } from '@truetally/contracts/resource';
import { type Operation, OPERATIONS } from '@truetally/contracts/topics';
import { DeletedResource } from '@truetally/contracts/resource';
import type { Exchange, Params } from '../http/exchange.js';
import { idFilter, oneOfFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { ResourceApi } from '../ask/resource.js';
import { Credential, JsonBody, KnownQuery, Answers, AnswersPageOf } from '../http/route-rules.js';
import { LivingExperiments } from './living-experiments.js';

const FILTERS = { site_id: idFilter, state: oneOfFilter(EXPERIMENT_STATES) };

type ChangesExperiment = Operation<ResourceCommand, CommandAnswer<ExperimentResource>>;

@Controller('api/v1/partner-experiments')
export class ExperimentsController {
  constructor(
    private readonly api: ResourceApi,
    private readonly living: LivingExperiments,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(ExperimentBody)
  @Answers(ExperimentResource, 201)
  create(exchange: Exchange): Promise<void> {
    const awaits = (body: unknown) => this.living.awaited(undefined, body);
    return this.api.create(exchange, {
      to: OPERATIONS.createExperiment,
      isKnown: this.living.isKnown,
      awaits,
    });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...FILTERS })
  @AnswersPageOf(ExperimentResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listExperiments }, FILTERS);
  }

  @Get(':experiment_id')
  @Credential('management-reader')
  @Answers(ExperimentResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readExperiment, params: this.living.only(params) });
  }

  @Patch(':experiment_id')
  @Credential('management-writer')
  @JsonBody(ExperimentBody)
  @Answers(ExperimentResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    return this.api.change(exchange, this.changing(OPERATIONS.updateExperiment, params));
  }

  @Delete(':experiment_id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.living.isGone;
    return this.api.delete(exchange, {
      ...this.target(OPERATIONS.deleteExperiment, params),
      isKnown,
    });
  }

  @Post(':experiment_id/start')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  start(exchange: Exchange, params: Params): Promise<void> {
    return this.api.act(exchange, this.changing(OPERATIONS.startExperiment, params));
  }

  @Post(':experiment_id/pause')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  pause(exchange: Exchange, params: Params): Promise<void> {
    return this.api.act(exchange, this.changing(OPERATIONS.pauseExperiment, params));
  }

  @Post(':experiment_id/resume')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  resume(exchange: Exchange, params: Params): Promise<void> {
    return this.api.act(exchange, this.changing(OPERATIONS.resumeExperiment, params));
  }

  @Post(':experiment_id/stop')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  stop(exchange: Exchange, params: Params): Promise<void> {
    return this.api.act(exchange, this.changing(OPERATIONS.stopExperiment, params));
  }

  @Patch(':experiment_id/exclusions')
  @Credential('management-writer')
  @JsonBody(ExclusionsBody)
  @Answers(ExperimentResource)
  exclude(exchange: Exchange, params: Params): Promise<void> {
    return this.api.change(exchange, this.changing(OPERATIONS.setExclusions, params));
  }

  private changing(to: ChangesExperiment, params: Params) {
    return { ...this.target(to, params), isKnown: this.living.isKnown };
  }

  private target<To>(to: To, params: Params) {
    const awaits = (body: unknown) => this.living.awaited(params['experiment_id'], body);
    return { to, params: this.living.only(params), awaits };
  }
}
