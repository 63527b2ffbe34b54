import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { listing, reading } from '../resource-work.js';
import { findErasure } from '../storage/erasure.store.js';
import { pageOfProfiles } from '../storage/profile.store.js';
import { eraseProfile } from '../erasures/erase-profile.js';
import { listErasures } from '../erasures/list-erasures.js';
import { beginProfilesImport } from './begin-profiles-import.js';
import { readProfile } from './read-profile.js';
import { readProfilesImport } from './read-profiles-import.js';

export const profilesAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  beginProfilesImport: command(beginProfilesImport),
  readProfilesImport: query(readProfilesImport),
  eraseProfile: command(eraseProfile),
  listErasures: query(listErasures),
  readErasure: query(reading('id', findErasure, refusals.noErasure)),
  listProfiles: query(listing(pageOfProfiles)),
  readProfile: query(readProfile),
});
