import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { deleting, listing, reading } from '../resource-work.js';
import { findIntegration, INTEGRATIONS, pageOfIntegrations } from '../storage/integration.store.js';
import { logged } from '../audit-log/logged.js';
import { createIntegration } from './create-integration.js';
import { updateIntegration } from './update-integration.js';

export const integrationsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createIntegration: command(logged(createIntegration)),
  listIntegrations: query(listing(pageOfIntegrations)),
  readIntegration: query(reading('id', findIntegration, refusals.noIntegration)),
  updateIntegration: command(logged(updateIntegration)),
  deleteIntegration: command(deleting('integration', INTEGRATIONS, refusals.noIntegration)),
});
