import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { beginSettlementsImport } from './begin-settlements-import.js';
import { beginWorkerJob } from './begin-worker-job.js';
import { readIntegrationAccess } from './read-integration-access.js';
import { recordSync } from './record-sync.js';

export const pullIntegrationsAnswers = ({ command, note }: ResourceAnswers): Answers => ({
  beginSettlementsImport: command(beginSettlementsImport),
  beginWorkerJob: command(beginWorkerJob),
  readIntegrationAccess: note(readIntegrationAccess),
  recordSync: note(recordSync),
});
