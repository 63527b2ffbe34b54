import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { deleteSite } from '../delete-site/delete-site.js';
import { logged } from '../audit-log/logged.js';
import { createSite } from './create-site.js';
import { listSites } from './list-sites.js';
import { readSite } from './read-site.js';
import { updateSite } from './update-site.js';

export const sitesAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createSite: command(logged(createSite)),
  listSites: query(listSites),
  readSite: query(readSite),
  updateSite: command(logged(updateSite)),
  deleteSite: command(deleteSite),
});
