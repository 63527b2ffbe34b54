import { afterAll, beforeAll, describe } from '@jest/globals';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { whatIsADeadLetter } from './dead-letters-suite.js';
import { whatAnErasureLeaves } from './erasure-leaves-nothing-suite.js';
import { whatAnIssuerIsNeededFor } from './issuer-outage-suite.js';
import { whatAnHourAllows } from './rate-limits-suite.js';
import { whatIsATouch } from './record-touches-suite.js';
import { whatARefusedRevocationEnds } from './refused-revocation-suite.js';
import { whatIsSetAside } from './set-aside-facts-suite.js';

const LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' };

/** One product for what others would notice: lists of all tenants, lost counters, a broken keyring, an issuer that is away. */
describe('a product in the hands of its operators', () => {
  let launched: LaunchedProduct;
  const product = (): LaunchedProduct => launched;

  beforeAll(async () => {
    launched = await launchProduct({
      inOneProcess: true,
      replicas: { gateway: 2, 'attribution-ledger': 2 },
      env: { gateway: LOOPBACK, 'publisher-analytics': LOOPBACK },
    });
  });

  afterAll(() => launched.stop());

  // First, because no gateway has seen an ID token yet.
  whatAnIssuerIsNeededFor(product);
  whatAnErasureLeaves(product);
  whatAnHourAllows(product);
  whatIsATouch(product);
  whatIsADeadLetter(product);
  whatIsSetAside(product);
  whatARefusedRevocationEnds(product);
});
