import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { deleteSite } from '../delete-site/delete-site.js';
import { logged } from '../audit-log/logged.js';
import { createSite } from './create-site.js';
import { listSites } from './list-sites.js';
import { readSite } from './read-site.js';
import { updateSite } from './update-site.js';

@Controller()
export class SitesConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createSite)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createSite));
  }

  @Handles(OPERATIONS.listSites)
  list(query: ResourceQuery) {
    return this.database.query(query, listSites);
  }

  @Handles(OPERATIONS.readSite)
  read(query: ResourceQuery) {
    return this.database.query(query, readSite);
  }

  @Handles(OPERATIONS.updateSite)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateSite));
  }

  @Handles(OPERATIONS.deleteSite)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteSite);
  }
}
