import { Module } from '@nestjs/common';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { ClientAddresses } from '../http/shares.js';
import { AssignSessionController } from './assign-session.controller.js';
import { ExperimentsController } from './experiments.controller.js';
import { LivingExperiments } from './living-experiments.js';
import { NetworkNames } from './network-names.js';
import { PlanSampleController } from './plan-sample.controller.js';
import { ResultsReader } from './results-reader.js';
import { ResultsController } from './results.controller.js';
import { SamplePlanner } from './sample-planner.js';
import { SessionAssigner } from './session-assigner.js';

/** Partner experiments (interface page, section 7). Fixed paths come before those with ids. */
@Module({
  controllers: [AssignSessionController, PlanSampleController, ResultsController, ExperimentsController],
  providers: [
    provide(
      LivingExperiments,
      [ExperimentDirectory, SiteDirectory, CampaignDirectory],
      (...parts) => new LivingExperiments(...parts),
    ),
    provide(
      NetworkNames,
      [GatewayFoundation, ClientAddresses],
      ({ config: { RUNTIME_TOKEN_KEYS: keys } }, addresses) =>
        new NetworkNames(keys[0].secret, (request) => addresses.of(request)),
    ),
    SessionAssigner,
    SamplePlanner,
    ResultsReader,
  ],
})
export class PartnerExperimentsModule {}
