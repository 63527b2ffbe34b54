import { settings } from './settings.mjs';

/** Code that guarantees rest on and that only a real Postgres can test: some seconds per mutant. */
export default {
  ...settings({
    mutate: [
      'apps/ingestion/src/storage/{key-lookup,partition-catalog}.ts',
      'apps/management/src/jobs/job-runner.ts',
      'apps/management/src/storage/job-leases.ts',
    ],
    tests: [
      'apps/ingestion/src/storage/*.{spec,db-spec}.ts',
      'apps/management/src/{jobs,storage}/*.{spec,db-spec}.ts',
    ],
  }),
  jsonReporter: { fileName: '.local/mutation-stored.json' },
};
