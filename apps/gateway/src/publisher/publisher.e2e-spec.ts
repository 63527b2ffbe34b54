import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { whoMayDoWhat } from '../testing/publisher/access-suite.js';
import { whatIsPulled } from '../testing/publisher/pulls-suite.js';
import { aStory } from '../testing/publisher/story-suite.js';
import { whatIsUploaded } from '../testing/publisher/uploads-suite.js';

describe('interface page, section 8: publisher mode', () => {
  let shared: Product;
  const product = (): Product => shared;

  beforeAll(async () => {
    shared = await sharedProduct();
  });

  afterAll(() => shared.stop());

  aStory(product);
  whatIsUploaded(product);
  whoMayDoWhat(product);
  whatIsPulled(product);
});
