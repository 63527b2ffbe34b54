import { parseArgs } from 'node:util';
import { fillPublisher } from './bench/fill-publisher.js';

/**
 * Fills a site's clicks, settlements and sums, to measure reports over many:
 *
 *     DATABASE_URL=<of the owner> node tools/dist/fill-publisher.js --site <uuid> --clicks 50000000
 *
 * The site must have neither yet. `npm run publisher:verify` then finds no difference.
 */
const { values } = parseArgs({
  options: { site: { type: 'string' }, clicks: { type: 'string', default: '1000000' } },
});
const url = process.env['DATABASE_URL'];
if (url === undefined) throw new Error('DATABASE_URL must be the URL of the owner of the tables.');
if (values.site === undefined) throw new Error('--site must be the id of a site.');
const clicks = Number(values.clicks);
if (!Number.isInteger(clicks) || clicks < 1) throw new Error('--clicks must be a whole number from 1.');
await fillPublisher({
  databaseUrl: url,
  schema: process.env['DATABASE_SCHEMA'] ?? 'publisher_analytics',
  siteId: values.site,
  clicks,
  say: (line) => console.log(line),
});
