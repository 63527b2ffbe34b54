import { settings } from './settings.mjs';

/** The product's rules as plain functions, tested without Kafka and Postgres. */
export default {
  ...settings({
    mutate: ['apps/*/src/domain/**/*.ts', 'libs/kernel/src/decimal.ts', '!**/*spec.ts'],
    tests: ['{apps,libs}/**/src/**/*.spec.ts'],
  }),
  jsonReporter: { fileName: '.local/mutation-pure.json' },
};
