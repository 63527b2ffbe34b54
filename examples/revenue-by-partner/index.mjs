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
  provider text not null,
  partner text,
  primary key (site_id, touch_id)
)`);
await pool.query(`create table if not exists partner_shares (
  site_id text not null,
  order_id text not null,
  touch_id text not null,
  currency text not null,
  revenue numeric not null,
  share numeric not null,
  outcome text not null,
  order_sequence integer not null,
  primary key (site_id, order_id, touch_id)
)`);
// A partner's id is its network's own. An order that a partner touched twice has its revenue once. A touch that was refused earns nothing, and is kept: it may have earned
// by an earlier record, and an older one that is delivered again must not bring it back.
await pool.query(`create or replace view revenue_by_partner as
  select provider, partner, currency, count(*) as orders, sum(revenue) as revenue, sum(share) as commission
  from (
    select provider, partner, currency, max(revenue) as revenue, sum(share) as share
    from partner_shares join partner_touches using (site_id, touch_id)
    where outcome = 'attributed'
    group by provider, partner, currency, site_id, order_id
  ) as one_order
  group by provider, partner, currency`);

const worker = await startWorker({
  brokers: KAFKA_BROKERS.split(','),
  topicPrefix: KAFKA_TOPIC_PREFIX,
  group: WORKER_GROUP,
  once: keyed(),
  closesOnSignals: false,
  handlers: {
    touchesRecorded: async (touch) => {
      await pool.query('insert into partner_touches values ($1, $2, $3, $4) on conflict do nothing', [
        touch.site_id,
        touch.touch_id,
        touch.provider,
        touch.partner_id,
      ]);
    },
    // A record holds the whole state of its order: the newest replaces an older one, and an older one nothing.
    conversionsRecorded: async (record) => {
      for (const { touch_id, share, outcome } of record.attribution) {
        await pool.query(
          `insert into partner_shares values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (site_id, order_id, touch_id) do update
             set revenue = excluded.revenue, share = excluded.share, outcome = excluded.outcome,
               order_sequence = excluded.order_sequence
             where partner_shares.order_sequence < excluded.order_sequence`,
          [
            record.site_id,
            record.order_id,
            touch_id,
            record.currency,
            record.remaining_revenue,
            share,
            outcome,
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
