import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { reading } from '../resource-work.js';
import { findSite, pageOfSites } from '../storage/site.store.js';
import { deleteSite } from '../delete-site/delete-site.js';
import { logged } from '../audit-log/logged.js';
import { createSite } from './create-site.js';
import { updateSite } from './update-site.js';

export const sitesAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createSite: command(logged(createSite)),
  listSites: query(pageOfSites),
  readSite: query(reading('site_id', findSite, refusals.noSite)),
  updateSite: command(logged(updateSite)),
  deleteSite: command(deleteSite),
});
