import { afterAll, beforeAll, describe } from '@jest/globals';
import { clickValues } from '../testing/click-values-suite.js';
import { everyCredential } from '../testing/every-credential-suite.js';
import { integrationSecrets } from '../testing/integration-secrets-suite.js';
import { launchLoudProduct, type LoudProduct } from '../testing/loud-product.js';
import { webhookSecrets } from '../testing/webhook-secrets-suite.js';

let launched: LoudProduct;

beforeAll(async () => {
  launched = await launchLoudProduct();
});

afterAll(() => launched.stop());

const loud = (): LoudProduct => launched;

/** In this order: each leaves its data in the product. */
describe('secrets of a product with its most detailed logs', () => {
  const integrations = integrationSecrets(loud);
  const webhooks = webhookSecrets(loud);
  everyCredential(loud);
  // It rotates the keys.
  clickValues(loud);
  integrations.areUnderTheCurrentKey();
  // It retires the keys.
  webhooks.areUnderTheCurrentKey();
});
