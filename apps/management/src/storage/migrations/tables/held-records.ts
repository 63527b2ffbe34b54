import { heldSumsSql } from '@truetally/persistence';

const MEASURED = {
  /** 70 MiB for a hundred thousand (docs/benchmarks). */
  key: 736,
  member: 640,
  site: 1_200,
  /** An entry of the site's set, and one of all sites' listings. */
  origin: 160,
  provider: 96,
  /** One beyond Latin-1 makes all of a text as wide. */
  character: 2,
};

/** What gateways hold of keys, members and sites: those that they were told to forget occupy nothing. */
export const HELD_RECORDS_SQL = heldSumsSql('held_records', [
  {
    table: 'api_keys',
    columns: ['is_known'],
    bytes: (row) => `case when ${row}.is_known then ${MEASURED.key} else 0 end`,
  },
  {
    table: 'members',
    columns: ['subject', 'email'],
    bytes: (row) =>
      `${MEASURED.member} + ${MEASURED.character} * length(coalesce(${row}.subject, ${row}.email))`,
  },
  {
    table: 'sites',
    columns: ['allowed_origins', 'partner_providers', 'deleted_at'],
    bytes: (row) => `case when ${row}.deleted_at is null then ${MEASURED.site}
      + ${MEASURED.origin} * cardinality(${row}.allowed_origins)
      + ${MEASURED.character} * length(array_to_string(${row}.allowed_origins, ''))
      + ${MEASURED.provider} * cardinality(${row}.partner_providers) else 0 end`,
  },
]);
