import { afterAll, beforeAll } from '@jest/globals';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { whatMediaAre } from '../testing/media-suite.js';

let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
});

afterAll(() => product.stop());

// On S3 in http/hostile-clients.e2e-spec.ts, which has a product of its own anyway.
whatMediaAre('disk', () => product);
