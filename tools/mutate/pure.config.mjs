import { settings } from './settings.mjs';

/** Rules of the product as plain functions: what their specs notice without Kafka and Postgres. */
export default {
  ...settings({
    mutate: ['apps/*/src/domain/**/*.ts', 'libs/kernel/src/decimal.ts', '!**/*spec.ts'],
    tests: ['{apps,libs}/**/src/**/*.spec.ts'],
  }),
  jsonReporter: { fileName: '.local/mutation-pure.json' },
};
