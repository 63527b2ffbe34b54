import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { logged } from '../audit-log/logged.js';
import { createCampaign } from './create-campaign.js';
import { deleteCampaign } from './delete-campaign.js';
import { listCampaigns } from './list-campaigns.js';
import { readCampaign } from './read-campaign.js';
import { updateCampaign } from './update-campaign.js';

export const campaignsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createCampaign: command(logged(createCampaign)),
  listCampaigns: query(listCampaigns),
  readCampaign: query(readCampaign),
  updateCampaign: command(logged(updateCampaign)),
  deleteCampaign: command(deleteCampaign),
});
