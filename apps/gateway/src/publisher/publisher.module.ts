import { Module } from '@nestjs/common';
import { ENCODED_UPLOAD_LIMIT_BYTES } from '@truetally/contracts/publisher';
import { KeyringFile } from '@truetally/keyring';
import { openObjectStore } from '@truetally/object-store';
import { Asker } from '../ask/ask.js';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { BodyBudget, ClientAddresses } from '../http/shares.js';
import { ResourceApi } from '../ask/resource.js';
import { ReportReader } from './report/report-reader.js';
import { ReportController } from './report/report.controller.js';
import { IntegrationReader } from './settlements/integration-reader.js';
import { SettlementUploader } from './settlements/settlement-uploader.js';
import { SettlementsController } from './settlements/settlements.controller.js';
import { WorkerJobStarter } from './worker-jobs/worker-job-starter.js';
import { WorkerJobsController } from './worker-jobs/worker-jobs.controller.js';

/** Each occupies disk space and processor time while it is read. */
const UPLOADS_AT_ONCE = 8;
const UPLOADS_OF_A_WORKSPACE = 2;
/** Of arriving signed messages, before their sender is known. */
const SIGNED_BODIES_BYTES = 4 * 1024 * 1024;
const SIGNED_BODIES_OF_AN_ADDRESS_BYTES = 1024 * 1024;

/** Settlements, the publisher's report, and the platform's jobs (interface page, sections 8 and 11). */
@Module({
  controllers: [SettlementsController, ReportController, WorkerJobsController],
  providers: [
    IntegrationReader,
    provide(
      SettlementUploader,
      [GatewayFoundation, ResourceApi, IntegrationReader, KeyringFile, MemberDirectory],
      async ({ config, closing }, api, integrations, keys, members) => {
        const store = await openObjectStore(config.mediaStore);
        closing.add(() => store.close());
        const budget = new BodyBudget(
          UPLOADS_AT_ONCE * ENCODED_UPLOAD_LIMIT_BYTES,
          UPLOADS_OF_A_WORKSPACE * ENCODED_UPLOAD_LIMIT_BYTES,
        );
        return new SettlementUploader({ api, integrations, keys, store, budget, members });
      },
    ),
    provide(ReportReader, [SiteDirectory, KeyringFile, Asker], (...parts) => new ReportReader(...parts)),
    provide(
      WorkerJobStarter,
      [GatewayFoundation, ClientAddresses, SiteDirectory, ResourceApi],
      ({ config }, addresses, sites, api) =>
        new WorkerJobStarter({
          key: config.WORKER_SECRET,
          budget: new BodyBudget(SIGNED_BODIES_BYTES, SIGNED_BODIES_OF_AN_ADDRESS_BYTES),
          addresses,
          sites,
          api,
          nowMs: Date.now,
        }),
    ),
  ],
})
export class PublisherModule {}
