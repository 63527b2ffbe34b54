import { Controller, Delete, Get, Inject, Param, Patch, Post, Res } from '@nestjs/common';
import { EXPERIMENT_STATES, ExperimentBody, ExperimentResource } from '@truetally/contracts/experiments';
import { OPERATIONS } from '@truetally/contracts/topics';
import { DeletedResource } from '@truetally/contracts/resource';
import type { EdgeResponse } from '../http/exchange.js';
import { idFilter, oneOfFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { ResourceApi } from '../http/resource-api.js';
import { Credential, JsonBody, KnownQuery, Answers, AnswersPageOf } from '../http/route-rules.js';
import { LivingExperiments } from './living-experiments.js';

type Params = Record<string, string>;

const FILTERS = { site_id: idFilter, state: oneOfFilter(EXPERIMENT_STATES) };

@Controller('api/v1/partner-experiments')
export class ExperimentsController {
  constructor(
    @Inject(ResourceApi) private readonly api: ResourceApi,
    @Inject(LivingExperiments) private readonly living: LivingExperiments,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(ExperimentBody)
  @Answers(ExperimentResource, 201)
  create(@Res() { exchange }: EdgeResponse): Promise<void> {
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
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listExperiments }, FILTERS);
  }

  @Get(':experiment_id')
  @Credential('management-reader')
  @Answers(ExperimentResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readExperiment, params: this.living.only(params) });
  }

  @Patch(':experiment_id')
  @Credential('management-writer')
  @JsonBody(ExperimentBody)
  @Answers(ExperimentResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.change(exchange, this.target(OPERATIONS.updateExperiment, params));
  }

  @Delete(':experiment_id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    const isKnown = this.living.isGone;
    return this.api.delete(exchange, {
      ...this.target(OPERATIONS.deleteExperiment, params),
      isKnown,
    });
  }

  @Post(':experiment_id/start')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  start(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(OPERATIONS.startExperiment, params));
  }

  @Post(':experiment_id/pause')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  pause(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(OPERATIONS.pauseExperiment, params));
  }

  @Post(':experiment_id/resume')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  resume(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(OPERATIONS.resumeExperiment, params));
  }

  @Post(':experiment_id/stop')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  stop(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(OPERATIONS.stopExperiment, params));
  }

  private target(to: string, params: Params) {
    const awaits = (body: unknown) => this.living.awaited(params['experiment_id'], body);
    return { to, params: this.living.only(params), isKnown: this.living.isKnown, awaits };
  }
}
