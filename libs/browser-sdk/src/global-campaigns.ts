import { showCampaigns } from './show-campaigns.js';

globalThis.truetallyPart = showCampaigns;
