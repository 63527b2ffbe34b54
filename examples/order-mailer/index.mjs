// Writes a mail for each new order into a table of its own, from which something else sends them. The mail and the note
// that its order was handled are one transaction: whatever happens to this process, an order has one mail.
import { inbox, startWorker } from '@truetally/worker';
import pg from 'pg';

const { KAFKA_BROKERS = '127.0.0.1:9092', KAFKA_TOPIC_PREFIX = '', DATABASE_URL } = process.env;
const { WORKER_GROUP = 'order-mailer' } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
// A connection that breaks while it is idle is replaced at its next use.
pool.on('error', (error) => console.error(error.message));
await pool.query(`create table if not exists order_mails (
  mail_id bigint generated always as identity primary key,
  order_id text not null,
  subject text not null,
  written_at timestamptz not null default now()
)`);

const worker = await startWorker({
  brokers: KAFKA_BROKERS.split(','),
  topicPrefix: KAFKA_TOPIC_PREFIX,
  group: WORKER_GROUP,
  once: inbox(pool),
  closesOnSignals: false,
  handlers: {
    conversionsRecorded: async (record, { client }) => {
      if (record.event_type !== 'purchase') return;
      const subject = `Your order ${record.order_id} for ${record.revenue_delta} ${record.currency}`;
      await client.query('insert into order_mails (order_id, subject) values ($1, $2)', [
        record.order_id,
        subject,
      ]);
    },
  },
});
console.log('The order mailer follows conversions.recorded.v1.');

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    await worker.close();
    await pool.end();
    console.log('The order mailer has stopped.');
  });
}
