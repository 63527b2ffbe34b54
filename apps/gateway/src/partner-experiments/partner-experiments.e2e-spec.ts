import { afterAll, beforeAll } from '@jest/globals';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { assignmentSuite } from '../testing/experiments/assignment-suite.js';
import { managementSuite } from '../testing/experiments/management-suite.js';
import { sampleRatioSuite } from '../testing/experiments/sample-ratio-suite.js';
import { storySuite } from '../testing/experiments/story-suite.js';

let product: Product;

// One product for all suites; each suite has its own shops.
beforeAll(async () => {
  product = await sharedProduct();
});

afterAll(() => product.stop());

storySuite(() => product);
managementSuite(() => product);
assignmentSuite(() => product);
sampleRatioSuite(() => product);
