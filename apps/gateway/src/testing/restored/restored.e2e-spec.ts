import { afterAll, beforeAll } from '@jest/globals';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { ADDED, whatAnAddedServiceKnows } from './added-service-suite.js';
import { whatIsDecidedAgain } from './decisions-suite.js';
import { whatIsAnsweredAgain } from './requests-suite.js';

/** One product, which gets a service more, and whose database is restored twice. */
let launched: LaunchedProduct;
const product = (): LaunchedProduct => launched;

beforeAll(async () => {
  launched = await launchProduct({
    services: SERVICE_NAMES.filter((name) => name !== ADDED),
    inOneProcess: true,
    apart: ['gateway'],
    env: { gateway: { ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' } },
  });
});

afterAll(() => launched.stop());

whatAnAddedServiceKnows(product);
whatIsDecidedAgain(product);
whatIsAnsweredAgain(product);
