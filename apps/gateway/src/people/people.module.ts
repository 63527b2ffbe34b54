import { Module } from '@nestjs/common';
import { provide } from '../core/provide.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { ResourceApi } from '../ask/resource.js';
import { CsvExporter } from './csv-export.js';
import { PeopleTables } from './people-tables.js';
import { ProfileImporter } from './profile-importer.js';
import { ProfileOfPerson } from './profile-of-person.js';
import { ProfilesController } from './profiles.controller.js';
import { SubmissionReceiver } from './submission-receiver.js';
import { SubmissionsController } from './submissions.controller.js';

/** What a shop knows of people, and what visitors send it (interface page, section 9). */
@Module({
  controllers: [SubmissionsController, ProfilesController],
  providers: [
    provide(SubmissionReceiver, [ResourceApi], (api) => new SubmissionReceiver(api, Date.now)),
    ProfileImporter,
    ProfileOfPerson,
    provide(
      PeopleTables,
      [ResourceApi, MemberDirectory],
      (api, members) => new PeopleTables(api, new CsvExporter(members)),
    ),
  ],
})
export class PeopleModule {}
