import { settings } from './settings.mjs';

/** Code that a promise rests on and that only a real Postgres can judge: some seconds for each change. */
export default {
  ...settings({
    mutate: [
      'apps/ingestion/src/storage/{key.lookup,partition.catalog}.ts',
      'apps/management/src/jobs/job-runner.ts',
      'apps/management/src/storage/job.leases.ts',
    ],
    tests: [
      'apps/ingestion/src/storage/*.{spec,db-spec}.ts',
      'apps/management/src/{jobs,storage}/*.{spec,db-spec}.ts',
    ],
  }),
  jsonReporter: { fileName: '.local/mutation-stored.json' },
};
