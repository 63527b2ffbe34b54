import { Controller, Delete, Get, Post } from '@nestjs/common';
import { JobResource, StartedJob } from '@truetally/contracts/jobs';
import {
  ErasedProfile,
  ERASURE_FILTERS,
  ErasureResource,
  PROFILE_FILTERS,
  ProfileResource,
  ProfilesImportBody,
} from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { needed } from '../http/query-reader.js';
import { ResourceApi } from '../ask/resource.js';
import {
  Answers,
  AnswersFile,
  AnswersPageOf,
  Credential,
  JsonBody,
  KnownQuery,
  Refuses,
} from '../http/route-rules.js';
import { PeopleTables } from './people-tables.js';
import { ProfileImporter } from './profile-importer.js';
import { ProfileOfPerson } from './profile-of-person.js';

/** Interface page, section 1. */
const IMPORT_LIMIT_BYTES = 32 * 1024 * 1024;
const ONE_SITE = { site_id: needed(PROFILE_FILTERS.site_id) };
const EXPORT_QUERY = { ...PROFILE_FILTERS, ...ONE_SITE };

@Controller('api/v1')
export class ProfilesController {
  constructor(
    private readonly api: ResourceApi,
    private readonly importer: ProfileImporter,
    private readonly person: ProfileOfPerson,
    private readonly tables: PeopleTables,
  ) {}

  @Post('profiles/import')
  @Credential('profile-importer')
  @JsonBody(ProfilesImportBody, { limitBytes: IMPORT_LIMIT_BYTES })
  @Answers(StartedJob, 202)
  @Refuses(409)
  import(exchange: Exchange): Promise<void> {
    return this.importer.import(exchange);
  }

  @Get('profiles/imports/:job_id')
  @Credential('profile-importer')
  @Answers(JobResource)
  readImport(exchange: Exchange, { job_id: jobId }: Params<'job_id'>): Promise<void> {
    return this.importer.read(exchange, jobId);
  }

  @Get('profiles')
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...PROFILE_FILTERS })
  @AnswersPageOf(ProfileResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listProfiles }, PROFILE_FILTERS);
  }

  @Get('profiles.csv')
  @Credential('management-reader')
  @KnownQuery(EXPORT_QUERY)
  @AnswersFile('text/csv')
  export(exchange: Exchange): Promise<void> {
    return this.tables.profiles(exchange, EXPORT_QUERY);
  }

  // Before the path with a person's id in the same place.
  @Get('profiles/erasures')
  @Credential('management-writer')
  @KnownQuery({ ...PAGE_PARAMETERS, ...ERASURE_FILTERS })
  @AnswersPageOf(ErasureResource)
  listErasures(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listErasures }, ERASURE_FILTERS);
  }

  @Get('profiles/erasures/:id')
  @Credential('management-writer')
  @Answers(ErasureResource)
  readErasure(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readErasure, params });
  }

  @Delete('profiles/:user_id')
  @Credential('management-writer')
  @KnownQuery(ONE_SITE)
  @Answers(ErasedProfile)
  erase(exchange: Exchange, { user_id: userId }: Params<'user_id'>): Promise<void> {
    return this.person.erase(exchange, userId, ONE_SITE);
  }

  @Get('profiles/:user_id')
  @Credential('management-reader')
  @KnownQuery(ONE_SITE)
  @Answers(ProfileResource)
  read(exchange: Exchange, { user_id: userId }: Params<'user_id'>): Promise<void> {
    return this.person.read(exchange, userId, ONE_SITE);
  }
}
