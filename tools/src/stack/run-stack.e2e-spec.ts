import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { eventually, identify, isReady, type ManagedProcess, request } from '@truetally/testing';
import { operationsPortOf } from './configuration.js';
import { localStackFixture, type StackFile } from '../testing/local-stack.js';

const PROCESSES = ['dashboard', ...SERVICE_NAMES, 'kafka', 'postgres', 'oidc'] as const;
/** Of the services one, and of the servers those that start in a second: all are watched alike. A killed Kafka: broker-restart.e2e-spec.ts. */
const KILLED = ['dashboard', 'gateway', 'postgres', 'oidc'] as const;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The tests of this file run in sequence: each continues with the stack of the previous one. */
describe('npm start', () => {
  let local: Awaited<ReturnType<typeof localStackFixture>>;
  let stack: ManagedProcess;
  let firstStart: StackFile;

  const start = async (...parameters: string[]): Promise<StackFile> => {
    stack = await local.run('start', parameters);
    const isUp = (): boolean => stack.output().includes('Everything is up');
    await eventually(() => isUp() || !stack.isRunning);
    if (!stack.isRunning) throw new Error(`The stack ended: ${stack.output()}`);
    return local.read();
  };

  beforeAll(async () => {
    local = await localStackFixture();
  });

  afterAll(async () => {
    await stack.stop('SIGKILL');
    await local.remove();
  });

  it('starts everything, plays a shopping session, prints the stored events, and then writes the stack file', async () => {
    firstStart = await start('--short-demo');
    const dashboard = `http://localhost:${local.environment['DASHBOARD_PORT']}`;
    expect(stack.output()).toMatch(/page_view +browser .*\n(.*\n)* +purchase +server /);
    expect(stack.output()).toMatch(/POST \/events\/track → 200, a duplicate of [0-9a-f-]{36}/);
    expect(stack.output()).toContain(
      'POST /partner-attribution/conversions → 200, recorded, a replay: 44.04 EUR',
    );
    expect(stack.output()).toMatch(
      / adjusted +24\.23 +16\.65 +9\.40 +0\.83\n +touch-.*: attributed .*, 0\.83 EUR/,
    );
    expect(stack.output()).toMatch(/verified by the standardwebhooks library: purchase/);
    expect(stack.output()).toMatch(/POST \/profiles\/import → 1 stored, 1 failed: row 2, email/);
    expect(stack.output()).toMatch(/ingestion +confirmed +1 events\n/);
    expect(stack.output()).toContain('POST /events/track → 403 FORBIDDEN');
    expect(stack.output()).toContain(`curl -s ${firstStart.base_url}/events/track`);
    expect(firstStart).toEqual({
      base_url: `http://127.0.0.1:${local.environment['GATEWAY_PORT']}/api/v1`,
      storefront_url: `http://localhost:${local.environment['STOREFRONT_PORT']}/`,
      browser_sdk_url: `http://127.0.0.1:${local.environment['GATEWAY_PORT']}/sdk/v1/truetally.js`,
      admin_url: `http://127.0.0.1:${local.environment['GATEWAY_PORT']}/api/admin`,
      admin_secret: expect.stringMatching(/^.{32,}$/),
      worker_secret: expect.stringMatching(/^whsec_.{24,}$/),
      allow_private_webhooks: ['127.0.0.1/32'],
      webhook_receiver_url: `http://127.0.0.1:${local.environment['RECEIVER_PORT']}/`,
      workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      site_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      origin: 'http://localhost:3000',
      api_key: expect.stringMatching(/^ck_[a-z0-9]{8}_[\w-]{43}$/),
      oidc_issuer: `http://127.0.0.1:${local.environment['OIDC_PORT']}`,
      id_tokens: {
        owner: expect.stringMatching(TOKEN),
        admin: expect.stringMatching(TOKEN),
        analyst: expect.stringMatching(TOKEN),
        outsider: expect.stringMatching(TOKEN),
        expired: expect.stringMatching(TOKEN),
      },
      dashboard_origin: dashboard,
      dashboard_url: `${dashboard}/dashboard/`,
      sign_in_urls: {
        owner: `${dashboard}/dashboard/?login_hint=demo-owner`,
        admin: `${dashboard}/dashboard/?login_hint=demo-admin`,
        analyst: `${dashboard}/dashboard/?login_hint=demo-analyst`,
        outsider: `${dashboard}/dashboard/?login_hint=demo-outsider`,
      },
      kafka_brokers: `127.0.0.1:${local.environment['KAFKA_PORT']}`,
      database_url: expect.stringMatching(/^postgres:/),
      keyring_file: join(local.folder, 'keyring.json'),
      operations: {
        ...Object.fromEntries(
          SERVICE_NAMES.map((name) => [name, Number(local.environment[operationsPortOf(name)])]),
        ),
        dashboard: Number(local.environment['DASHBOARD_OPERATIONS_PORT']),
      },
      pids: Object.fromEntries(PROCESSES.map((name) => [name, expect.any(Number)])),
    });
    for (const port of Object.values(firstStart.operations)) await expect(isReady(port)).resolves.toBe(true);
  });

  it('makes secrets readable by their owner only', () => {
    for (const name of ['stack.json', 'secrets.json', 'keyring.json', 'issuer-keys.json', 'demo.json']) {
      expect(statSync(join(local.folder, name)).mode & 0o077).toBe(0);
    }
  });

  it('gives a key with an hourly limit of 100,000,000', async () => {
    const answer = await local.track('limit');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100000000');
  });

  it('gives ID tokens of each role, of an outsider, and of a time that is over', async () => {
    const rule = {
      provider: 'awin',
      type: 'percentage',
      rate: '0.05',
      effective_from: '2026-01-01T00:00:00Z',
    };
    const statuses: Record<string, number[]> = {};
    for (const [who, token] of Object.entries(local.read().id_tokens)) {
      const answers = [
        await local.commissionRules(token),
        await local.commissionRules(token, { ...rule, partner_id: who }),
      ];
      statuses[who] = answers.map(({ status }) => status);
    }
    expect(statuses).toEqual({
      owner: [200, 201],
      admin: [200, 201],
      analyst: [200, 403],
      outsider: [404, 404],
      expired: [401, 401],
    });
    for (const who of ['owner', 'outsider'] as const) {
      const { headers } = await local.commissionRules(local.read().id_tokens[who]);
      expect(headers.get('x-ratelimit-limit')).toBe('1000000');
    }
  });

  it('answers preflights of the dashboard origin', async () => {
    const { base_url, dashboard_origin } = local.read();
    const answer = await request(`${base_url}/partner-attribution/commission-rules`, {
      method: 'OPTIONS',
      headers: {
        origin: dashboard_origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe(dashboard_origin);
  });

  it('lets npm run token mint ID tokens, right and wrong', async () => {
    const statusOf = async (...parameters: string[]): Promise<number> =>
      (await local.commissionRules(await local.mint(...parameters))).status;
    // What it can mint, and what a gateway says to each, have tests of their own (../token, id-tokens.e2e-spec.ts).
    await expect(statusOf('--alg', 'EdDSA')).resolves.toBe(200);
    await expect(statusOf('--kid=unknown')).resolves.toBe(401);
  });

  it('refuses a second start, and does not affect the first', async () => {
    const before = local.read();
    const second = await local.run('start');
    await expect(second.exited).resolves.toEqual({ code: 1, signal: null });
    await eventually(() =>
      second.output().includes(`already runs in ${local.folder} (process ${stack.pid})`),
    );
    expect(local.read()).toEqual(before);
  });

  it('refuses to remove the data of a running stack', async () => {
    const reset = await local.run('reset');
    await expect(reset.exited).resolves.toEqual({ code: 1, signal: null });
    await expect(local.track('limit')).resolves.toMatchObject({ status: 200 });
  });

  it.each(KILLED)('starts %s again when it dies, and the stack file names the new process', async (name) => {
    const { pid } = processOf(name);
    process.kill(pid, 'SIGKILL');
    await eventually(() => local.read().pids[name] !== pid);
    expect(identify(processOf(name).pid)).not.toBeNull();
    const served = await eventually(async () => {
      const answer = await local.track(`after-${name}`);
      return [200, 201].includes(answer.status) && answer;
    });
    expect(served.body.data?.event_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('cleans up after a supervisor that was killed, and goes on with the same data, shop and key', async () => {
    const { body } = await local.track('kept');
    const orphans = Object.values(local.read().pids).map((pid) => identify(pid));
    await stack.stop('SIGKILL');
    expect(orphans.map((orphan) => orphan !== null && identify(orphan.pid) !== null)).not.toContain(false);

    const again = await start('--no-demo');
    expect(stack.output()).toContain(`Ended ${PROCESSES.length} processes of a stack that was killed.`);
    expect(stack.output()).not.toContain('A short shopping session');
    for (const orphan of orphans) expect(orphan && identify(orphan.pid)).not.toEqual(orphan);
    await expect(local.commissionRules(firstStart.id_tokens.admin)).resolves.toMatchObject({ status: 200 });
    expect(again).toMatchObject({
      workspace_id: firstStart.workspace_id,
      site_id: firstStart.site_id,
      api_key: firstStart.api_key,
      admin_secret: firstStart.admin_secret,
      database_url: firstStart.database_url,
    });
    await expect(local.track('kept')).resolves.toMatchObject({
      status: 200,
      body: { data: { event_id: body.data?.event_id, deduplicated: true } },
    });
  });

  it('stops everything that it started at Ctrl-C, and takes the stack file away', async () => {
    const pids = Object.values(local.read().pids);
    // The terminal sends the signal to npm and to the process, and npm passes it on, so that it arrives twice.
    stack.send('SIGINT');
    stack.send('SIGINT');
    await expect(stack.exited).resolves.toEqual({ code: 0, signal: null });
    expect(pids.map((pid) => identify(pid))).toEqual(pids.map(() => null));
    expect(existsSync(local.stackFile)).toBe(false);
    expect(existsSync(join(local.folder, 'stack.lock'))).toBe(false);
    expect(readdirSync(join(local.folder, 'processes'))).toEqual([]);
  });

  it('npm start can be stopped while it comes up', async () => {
    stack = await local.run('start');
    await eventually(() => local.processes().length > 0);
    const identities = local.processes().map((pid) => identify(pid));
    stack.send('SIGTERM');
    await expect(stack.exited).resolves.toEqual({ code: 0, signal: null });
    expect(local.processes()).toEqual([]);
    for (const identity of identities) expect(identity && identify(identity.pid)).toBeNull();
  });

  it('the local stack is removed by npm run reset', async () => {
    const reset = await local.run('reset');
    await expect(reset.exited).resolves.toEqual({ code: 0, signal: null });
    expect(readdirSync(local.folder)).toEqual([]);
  });

  function processOf(name: string): { pid: number } {
    const pid = local.read().pids[name];
    if (pid === undefined) throw new Error(`${name} is not in the stack file`);
    return { pid };
  }
});
