import { afterAll, beforeAll, describe } from '@jest/globals';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { whoMayDoWhat } from '../testing/publisher/access-suite.js';
import { whatIsKilled } from '../testing/publisher/faults-suite.js';
import { whatIsPulled } from '../testing/publisher/pulls-suite.js';
import { aStory } from '../testing/publisher/story-suite.js';
import { whatIsUploaded } from '../testing/publisher/uploads-suite.js';

/** Networks run on this machine, and a test triggers each pull. */
const ENV = {
  // An address that the gateway accepts is checked again when it is called.
  gateway: { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,169.254.0.0/16' },
  'publisher-analytics': { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' },
};

/** One product for all of section 8, because its start takes longer than most suites. */
describe('interface page, section 8: publisher mode', () => {
  let launched: LaunchedProduct;
  const product = (): LaunchedProduct => launched;

  beforeAll(async () => {
    // All services: the deletion of a site waits for each of them.
    launched = await launchProduct({ inOneProcess: true, apart: ['publisher-analytics'], env: ENV });
  });

  afterAll(() => launched.stop());

  aStory(product);
  whatIsUploaded(product);
  whoMayDoWhat(product);
  whatIsPulled(product);
  whatIsKilled(product);
});
