import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { listing, reading } from '../resource-work.js';
import { findCampaign, pageOfCampaigns } from '../storage/campaign.store.js';
import { logged } from '../audit-log/logged.js';
import { createCampaign } from './create-campaign.js';
import { deleteCampaign } from './delete-campaign.js';
import { updateCampaign } from './update-campaign.js';

export const listCampaigns = listing(pageOfCampaigns);
export const readCampaign = reading('campaign_id', findCampaign, refusals.noCampaign);

export const campaignsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createCampaign: command(logged(createCampaign)),
  listCampaigns: query(listCampaigns),
  readCampaign: query(readCampaign),
  updateCampaign: command(logged(updateCampaign)),
  deleteCampaign: command(deleteCampaign),
});
