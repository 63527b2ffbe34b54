import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { type LocalServer, startIssuer, startKafka, startPostgres } from '@truetally/processes';
import { type Installation, newInstallation } from '@truetally/testing-product';
import { demoShop } from '../demo/demo-shop.js';
import { playPartnerOrder } from '../demo/partner-order.js';
import { playShoppingSession } from '../demo/shopping-session.js';
import { assembleImage, type AssembledImage } from './assembled-image.js';
import { IMAGE_USER, migrateImage, type RunningImage, startImage } from './run-image.js';

/**
 * Does what `docker build` and `docker run` would do, without Docker: assembles every service's files in an
 * empty folder with the scripts of docker/build, starts each from there, as the image's unprivileged user,
 * against a real Kafka and Postgres, and sends the demo's traffic over HTTP.
 * @returns the exit code
 */
export async function checkImages(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-images-'));
  chmodSync(folder, 0o755);
  const servers: LocalServer[] = [];
  const running: RunningImage[] = [];
  try {
    const images = SERVICE_NAMES.map((service) => assembled(folder, service));
    const installation = await startServers(folder, servers);
    for (const image of images) await migrateImage(image, installation);
    for (const image of images) running.push(await startImage(image, installation, folder));
    await sendTraffic(installation, running, folder);
    for (const service of running.toReversed()) await service.stop();
    running.length = 0;
    console.log('Every service starts from what its image holds, and answers.');
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    for (const service of running) await service.kill();
    for (const server of servers.toReversed()) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function assembled(folder: string, service: ServiceName): AssembledImage {
  const image = assembleImage(folder, service);
  console.log(`${service}: ${image.mebibytes} MiB with its base, ${image.packages} packages.`);
  return image;
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
  chmodSync(join(file, '..'), 0o755);
  chownSync(file, IMAGE_USER.uid, IMAGE_USER.gid);
}

async function sendTraffic(
  installation: Installation,
  running: readonly RunningImage[],
  folder: string,
): Promise<void> {
  const gateway = running.find(({ service }) => service === 'gateway');
  if (gateway?.httpPort === undefined) throw new Error('There is no gateway.');
  const baseUrl = `http://127.0.0.1:${gateway.httpPort}/api/v1`;
  const shop = await demoShop(join(folder, 'demo.json'), baseUrl, installation);
  const said: string[] = [];
  await playShoppingSession(baseUrl, shop, installation, (line) => said.push(line));
  await playPartnerOrder(baseUrl, shop, (line) => said.push(line));
  const text = said.join('\n');
  for (const expected of ['→ 201', '→ 200', 'a replay']) {
    if (!text.includes(expected))
      throw new Error(`The demo's traffic was not answered as expected:\n${text}`);
  }
}
