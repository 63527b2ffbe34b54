import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { logged } from '../audit-log/logged.js';
import { createApiKey } from './create-api-key.js';
import { listApiKeys } from './list-api-keys.js';
import { readApiKey } from './read-api-key.js';
import { recordKeyUse } from './record-key-use.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';
import { updateApiKey } from './update-api-key.js';

export const apiKeysAnswers = ({ command, query, note }: ResourceAnswers): Answers => ({
  createApiKey: command(logged(createApiKey)),
  listApiKeys: query(listApiKeys),
  readApiKey: query(readApiKey),
  updateApiKey: command(logged(updateApiKey)),
  rotateApiKey: command(logged(rotateApiKey)),
  revokeApiKey: command(revokeApiKey),
  recordKeyUse: note(recordKeyUse),
});
