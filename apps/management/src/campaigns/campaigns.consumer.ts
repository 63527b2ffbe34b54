import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { logged } from '../audit-log/logged.js';
import { createCampaign } from './create-campaign.js';
import { deleteCampaign } from './delete-campaign.js';
import { listCampaigns } from './list-campaigns.js';
import { readCampaign } from './read-campaign.js';
import { updateCampaign } from './update-campaign.js';

@Controller()
export class CampaignsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createCampaign)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createCampaign));
  }

  @Handles(OPERATIONS.listCampaigns)
  list(query: ResourceQuery) {
    return this.database.query(query, listCampaigns);
  }

  @Handles(OPERATIONS.readCampaign)
  read(query: ResourceQuery) {
    return this.database.query(query, readCampaign);
  }

  @Handles(OPERATIONS.updateCampaign)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateCampaign));
  }

  @Handles(OPERATIONS.deleteCampaign)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteCampaign);
  }
}
