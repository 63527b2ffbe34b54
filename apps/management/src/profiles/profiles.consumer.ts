import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { eraseProfile } from '../erasures/erase-profile.js';
import { listErasures } from '../erasures/list-erasures.js';
import { readErasure } from '../erasures/read-erasure.js';
import { beginProfilesImport } from './begin-profiles-import.js';
import { listProfiles } from './list-profiles.js';
import { readProfile } from './read-profile.js';
import { readProfilesImport } from './read-profiles-import.js';

@Controller()
export class ProfilesConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.beginProfilesImport)
  import(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, beginProfilesImport);
  }

  @Handles(OPERATIONS.readProfilesImport)
  readImport(query: ResourceQuery) {
    return this.database.query(query, readProfilesImport);
  }

  @Handles(OPERATIONS.eraseProfile)
  erase(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, eraseProfile);
  }

  @Handles(OPERATIONS.listErasures)
  listErasures(query: ResourceQuery) {
    return this.database.query(query, listErasures);
  }

  @Handles(OPERATIONS.readErasure)
  readErasure(query: ResourceQuery) {
    return this.database.query(query, readErasure);
  }

  @Handles(OPERATIONS.listProfiles)
  list(query: ResourceQuery) {
    return this.database.query(query, listProfiles);
  }

  @Handles(OPERATIONS.readProfile)
  read(query: ResourceQuery) {
    return this.database.query(query, readProfile);
  }
}
