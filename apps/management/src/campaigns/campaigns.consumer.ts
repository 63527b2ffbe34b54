import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
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

  @MessagePattern(TOPICS.createCampaign.name)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createCampaign);
  }

  @MessagePattern(TOPICS.listCampaigns.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listCampaigns);
  }

  @MessagePattern(TOPICS.readCampaign.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readCampaign);
  }

  @MessagePattern(TOPICS.updateCampaign.name)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateCampaign);
  }

  @MessagePattern(TOPICS.deleteCampaign.name)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteCampaign);
  }
}
