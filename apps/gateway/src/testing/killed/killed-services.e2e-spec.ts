import { afterAll, beforeAll, describe } from '@jest/globals';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { whatIsKilled } from '../publisher/faults-suite.js';
import { whatIsErasedDespiteKills } from './deletion-faults-suite.js';
import { whatIsDeleted } from './deletions-suite.js';
import { whatADrainAnswers } from './drain-suite.js';
import { OLD_SPACE_MIB, whatExpands } from './hostile-uploads-suite.js';
import { whatIsLostOfClicks } from './lost-clicks-suite.js';
import { whatPicturesSurvive } from './media-faults-suite.js';
import { whatAFeedSurvives } from './product-feed-faults-suite.js';
import { whatWaitsForIngestion } from './silent-ingestion-suite.js';

/** Networks, feeds and shops run on this machine. */
const LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' };

/** One product, whose services that a test kills have processes of their own: its launch takes longer than most tests. */
describe('a product whose services are killed and stopped', () => {
  let launched: LaunchedProduct;
  const product = (): LaunchedProduct => launched;

  beforeAll(async () => {
    launched = await launchProduct({
      inOneProcess: true,
      // The others are killed with the ledger.
      apart: ['gateway', 'management', 'ingestion', 'outbound', 'publisher-analytics'],
      oldSpaceMib: OLD_SPACE_MIB,
      env: {
        gateway: LOOPBACK,
        outbound: LOOPBACK,
        'publisher-analytics': LOOPBACK,
      },
    });
  });

  afterAll(() => launched.stop());

  // First, because it counts all clicks.
  whatIsLostOfClicks(product);
  // Before there is a second management.
  whatPicturesSurvive(product);
  whatAFeedSurvives(product);
  whatIsErasedDespiteKills(product);
  whatIsKilled(product);
  whatExpands(product);
  whatIsDeleted(product);
  // It ends the first gateway; the one before has started a second.
  whatWaitsForIngestion(product);
  // Last, because it ends that one.
  whatADrainAnswers(product);
});
