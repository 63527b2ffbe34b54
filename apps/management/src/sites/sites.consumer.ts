import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
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

  @MessagePattern(OPERATIONS.createSite)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createSite);
  }

  @MessagePattern(OPERATIONS.listSites)
  list(@Payload() message: unknown) {
    return this.database.query(message, listSites);
  }

  @MessagePattern(OPERATIONS.readSite)
  read(@Payload() message: unknown) {
    return this.database.query(message, readSite);
  }

  @MessagePattern(OPERATIONS.updateSite)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateSite);
  }

  @MessagePattern(OPERATIONS.deleteSite)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteSite);
  }
}
