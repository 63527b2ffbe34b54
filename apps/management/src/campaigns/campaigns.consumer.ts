import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { createCampaign } from './create-campaign.js';
import { deleteCampaign } from './delete-campaign.js';
import { listCampaigns } from './list-campaigns.js';
import { readCampaign } from './read-campaign.js';
import { updateCampaign } from './update-campaign.js';

@Controller()
export class CampaignsConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.createCampaign)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createCampaign);
  }

  @MessagePattern(OPERATIONS.listCampaigns)
  list(@Payload() message: unknown) {
    return this.database.query(message, listCampaigns);
  }

  @MessagePattern(OPERATIONS.readCampaign)
  read(@Payload() message: unknown) {
    return this.database.query(message, readCampaign);
  }

  @MessagePattern(OPERATIONS.updateCampaign)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateCampaign);
  }

  @MessagePattern(OPERATIONS.deleteCampaign)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteCampaign);
  }
}
