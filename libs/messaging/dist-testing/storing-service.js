import 'reflect-metadata';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Messaging } from '@truetally/messaging';
import { serveBatches } from './services.js';
/**
 * A service in its own process, for tests that kill it: it stores each request's value as a line of a file,
 * and then replies. Arguments: brokers, topic prefix, topic, group, file.
 */
const [brokers = '', topicPrefix = '', topic = '', group = '', file = ''] = process.argv.slice(2);
/** Ensures that some work is always in progress. */
const STORING_MS = 5;
const write = (fields, message) => {
    process.stdout.write(`${message} ${JSON.stringify(fields)}\n`);
};
const log = { debug: () => undefined, info: write, warn: write, error: write };
const instance = `storing-${process.pid}`;
const messaging = new Messaging({
    brokers: brokers.split(','),
    clientId: instance,
    instance,
    topicPrefix,
    log,
});
await messaging.start();
const service = await serveBatches(messaging, topic, async (requests) => {
    await delay(STORING_MS);
    appendFileSync(file, requests.map(({ value }) => `${value}\n`).join(''));
    return requests.map(({ value }) => ({ reply: { ok: value } }));
}, { rows: 64 }, { group });
process.once('SIGTERM', () => {
    void service
        .close()
        .then(() => messaging.close())
        .then(() => process.exit(0));
});
write({ pid: process.pid }, 'serving');
//# sourceMappingURL=storing-service.js.map