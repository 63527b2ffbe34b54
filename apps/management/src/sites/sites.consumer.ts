import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { deleteSite } from '../delete-site/delete-site.js';
import { createSite } from './create-site.js';
import { listSites } from './list-sites.js';
import { readSite } from './read-site.js';
import { updateSite } from './update-site.js';

@Controller()
export class SitesConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(TOPICS.createSite.name)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createSite);
  }

  @MessagePattern(TOPICS.listSites.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listSites);
  }

  @MessagePattern(TOPICS.readSite.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readSite);
  }

  @MessagePattern(TOPICS.updateSite.name)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateSite);
  }

  @MessagePattern(TOPICS.deleteSite.name)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteSite);
  }
}
