import { Controller, Delete, Get, Inject, Param, Patch, Post, Res } from '@nestjs/common';
import { EXPERIMENT_STATES, ExperimentBody, ExperimentResource } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
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
    return this.api.create(exchange, { topic: TOPICS.createExperiment.name, isKnown: this.living.isKnown });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...FILTERS })
  @AnswersPageOf(ExperimentResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { topic: TOPICS.listExperiments.name }, FILTERS);
  }

  @Get(':experiment_id')
  @Credential('management-reader')
  @Answers(ExperimentResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.read(exchange, { topic: TOPICS.readExperiment.name, params: this.living.only(params) });
  }

  @Patch(':experiment_id')
  @Credential('management-writer')
  @JsonBody(ExperimentBody)
  @Answers(ExperimentResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.change(exchange, this.target(TOPICS.updateExperiment.name, params));
  }

  @Delete(':experiment_id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    const isKnown = this.living.isGone;
    return this.api.delete(exchange, {
      ...this.target(TOPICS.deleteExperiment.name, params),
      isKnown,
    });
  }

  @Post(':experiment_id/start')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  start(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(TOPICS.startExperiment.name, params));
  }

  @Post(':experiment_id/pause')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  pause(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(TOPICS.pauseExperiment.name, params));
  }

  @Post(':experiment_id/resume')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  resume(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(TOPICS.resumeExperiment.name, params));
  }

  @Post(':experiment_id/stop')
  @Credential('management-writer')
  @Answers(ExperimentResource)
  stop(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.api.act(exchange, this.target(TOPICS.stopExperiment.name, params));
  }

  private target(topic: string, params: Params) {
    return { topic, params: this.living.only(params), isKnown: this.living.isKnown };
  }
}
