import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { eraseProfile } from '../erasures/erase-profile.js';
import { listErasures } from '../erasures/list-erasures.js';
import { readErasure } from '../erasures/read-erasure.js';
import { beginProfilesImport } from './begin-profiles-import.js';
import { listProfiles } from './list-profiles.js';
import { readProfile } from './read-profile.js';
import { readProfilesImport } from './read-profiles-import.js';

export const profilesAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  beginProfilesImport: command(beginProfilesImport),
  readProfilesImport: query(readProfilesImport),
  eraseProfile: command(eraseProfile),
  listErasures: query(listErasures),
  readErasure: query(readErasure),
  listProfiles: query(listProfiles),
  readProfile: query(readProfile),
});
