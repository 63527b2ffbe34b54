import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { logged } from '../audit-log/logged.js';
import { createIntegration } from './create-integration.js';
import { deleteIntegration } from './delete-integration.js';
import { listIntegrations } from './list-integrations.js';
import { readIntegration } from './read-integration.js';
import { updateIntegration } from './update-integration.js';

export const integrationsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createIntegration: command(logged(createIntegration)),
  listIntegrations: query(listIntegrations),
  readIntegration: query(readIntegration),
  updateIntegration: command(logged(updateIntegration)),
  deleteIntegration: command(deleteIntegration),
});
