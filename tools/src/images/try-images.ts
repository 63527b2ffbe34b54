import { chmodSync, chownSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ServiceName } from '@truetally/contracts/services';
import { type LocalServer, startIssuer, startKafka, startPostgres } from '@truetally/processes';
import { type Installation, newInstallation } from '@truetally/testing-product';
import { demoShop } from '../demo/demo-shop.js';
import { playPartnerOrder } from '../demo/partner-order.js';
import { playShoppingSession } from '../demo/shopping-session.js';
import { type Image, IMAGE_USER } from './image.js';
import { migrateImage, type RunningImage, startImage } from './run-image.js';

/** The services that the demo's traffic needs. */
const ANSWERING: readonly ServiceName[] = ['gateway', 'management', 'ingestion', 'attribution-ledger'];

/**
 * Migrates and starts every image against a real Kafka and Postgres, sends the demo's traffic over HTTP if
 * they can answer it, and stops them.
 * @param folder for the data of the servers
 * @throws when one does not start, does not answer as expected, or does not end with 0
 */
export async function tryImages(images: readonly Image[], folder: string): Promise<void> {
  const servers: LocalServer[] = [];
  const running: RunningImage[] = [];
  let installation: Installation | undefined;
  try {
    installation = await startServers(folder, servers);
    for (const image of images) await migrateImage(image, installation);
    for (const image of images) running.push(await startImage(image, installation));
    await sendTraffic(installation, running, folder);
    for (const service of running.toReversed()) await service.stop();
    running.length = 0;
  } finally {
    for (const service of running) await service.kill();
    for (const server of servers.toReversed()) await server.stop();
    if (installation !== undefined)
      rmSync(dirname(installation.keyringFile), { recursive: true, force: true });
  }
}

async function startServers(folder: string, servers: LocalServer[]): Promise<Installation> {
  const kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  servers.push(kafka);
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    user: 'truetally',
    password: 'truetally',
  });
  servers.push(postgres);
  const installation = await newInstallation({ kafkaBrokers: kafka.brokers, databaseUrl: postgres.url });
  servers.push(await startIssuer(installation.issuer));
  giveToImageUser(installation.keyringFile);
  return installation;
}

/** As a mounted secret is: readable for the image's user. Without root, that user is ourselves. */
function giveToImageUser(file: string): void {
  if (IMAGE_USER === null) return;
  chmodSync(dirname(file), 0o755);
  chownSync(file, IMAGE_USER.uid, IMAGE_USER.gid);
}

async function sendTraffic(
  installation: Installation,
  running: readonly RunningImage[],
  folder: string,
): Promise<void> {
  const httpPort = running.find(({ service }) => service === 'gateway')?.httpPort;
  const isComplete = ANSWERING.every((name) => running.some(({ service }) => service === name));
  if (httpPort === undefined || !isComplete) {
    console.log(`No traffic was sent: ${ANSWERING.join(', ')} are needed for it.`);
    return;
  }
  const baseUrl = `http://127.0.0.1:${httpPort}/api/v1`;
  const shop = await demoShop(join(folder, 'demo.json'), baseUrl, installation);
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  await playShoppingSession(baseUrl, shop, installation, say);
  await playPartnerOrder(baseUrl, shop, say);
  const text = said.join('\n');
  for (const expected of ['→ 201', '→ 200', 'a replay']) {
    if (!text.includes(expected))
      throw new Error(`The demo's traffic was not answered as expected:\n${text}`);
  }
}
