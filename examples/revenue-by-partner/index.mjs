// Keeps what each partner's touches earned. Its effect knows a fact again by itself: rows have the fact's id as their key,
// so that the same record counts once, however often it is delivered. There is no inbox.
import { keyed, startWorker } from '@truetally/worker';
import pg from 'pg';

const { KAFKA_BROKERS = '127.0.0.1:9092', KAFKA_TOPIC_PREFIX = '', DATABASE_URL } = process.env;
const { WORKER_GROUP = 'revenue-by-partner' } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
// A connection that breaks while it is idle is replaced at its next use.
pool.on('error', (error) => console.error(error.message));
await pool.query(`create table if not exists partner_touches (
  site_id text not null,
  touch_id text not null,
  partner text not null,
  primary key (site_id, touch_id)
)`);
await pool.query(`create table if not exists partner_shares (
  site_id text not null,
  order_id text not null,
  touch_id text not null,
  currency text not null,
  revenue numeric not null,
  share numeric not null,
  order_sequence integer not null,
  primary key (site_id, order_id, touch_id)
)`);
// An order that a partner touched twice has its revenue once.
await pool.query(`create or replace view revenue_by_partner as
  select partner, currency, count(*) as orders, sum(revenue) as revenue, sum(share) as commission
  from (
    select partner, currency, max(revenue) as revenue, sum(share) as share
    from partner_shares join partner_touches using (site_id, touch_id)
    group by partner, currency, site_id, order_id
  ) as one_order
  group by partner, currency`);

const worker = await startWorker({
  brokers: KAFKA_BROKERS.split(','),
  topicPrefix: KAFKA_TOPIC_PREFIX,
  group: WORKER_GROUP,
  once: keyed(),
  closesOnSignals: false,
  handlers: {
    touchesRecorded: async (touch) => {
      await pool.query('insert into partner_touches values ($1, $2, $3) on conflict do nothing', [
        touch.site_id,
        touch.touch_id,
        touch.partner_id ?? touch.provider,
      ]);
    },
    // A record holds the whole state of its order: the newest replaces an older one, and an older one nothing.
    conversionsRecorded: async (record) => {
      for (const { touch_id, share } of record.attribution) {
        await pool.query(
          `insert into partner_shares values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (site_id, order_id, touch_id) do update
             set revenue = excluded.revenue, share = excluded.share, order_sequence = excluded.order_sequence
             where partner_shares.order_sequence < excluded.order_sequence`,
          [
            record.site_id,
            record.order_id,
            touch_id,
            record.currency,
            record.remaining_revenue,
            share,
            record.order_sequence,
          ],
        );
      }
    },
  },
});
console.log('Revenue by partner follows touches.recorded.v1 and conversions.recorded.v1.');

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    await worker.close();
    await pool.end();
    console.log('Revenue by partner has stopped.');
  });
}
