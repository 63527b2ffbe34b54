import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandAnswer, ResourceCommand } from '@truetally/contracts/resource';
import { fingerprint, type Reply } from '@truetally/kernel';
import { inTransaction } from '@truetally/persistence';
import {
  type CommandWork,
  forgetIdempotentReplies,
  forgetReplyBytes,
  KEPT_REPLY_BYTES,
} from '@truetally/resource';
import { eventually } from '@truetally/testing';
import { createSite } from './sites/create-site.js';
import { commandOf, ManagementReplicas, OWNER, siteBody } from './testing/management-replicas.js';
import { createWorkspace } from './workspaces/create-workspace.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

type Answer = Reply<CommandAnswer<unknown>>;

/** A command with its own key and a counter of executions; the work waits for a gate that a test can close. */
class KeyedCommand {
  readonly name = `w-${randomUUID()}`;
  begun = 0;
  private gate: Promise<void> = Promise.resolve();
  private open: () => void = () => undefined;
  private readonly command: ResourceCommand;

  constructor(key: string = randomUUID()) {
    this.command = {
      ...commandOf({ name: this.name, actor: OWNER }),
      idempotency: { route: 'POST /api/v1/workspaces', key, fingerprint: 'ab'.repeat(32) },
    };
  }

  shut(): void {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  letGo(): void {
    this.open();
  }

  /** The replicas take turns. */
  deliver(correlationId: string = randomUUID(), work: CommandWork = this.work): Promise<Answer> {
    return replicas.next().command(this.command, correlationId, work);
  }

  made(): Promise<number> {
    return replicas.count('workspaces', `name = '${this.name}'`);
  }

  /** Moves the stored reply this far into the past. */
  async age(interval: string): Promise<void> {
    await replicas.owner.query(
      `update idempotent_replies set created_at = created_at - interval '${interval}'
       where data->>'name' = $1`,
      [this.name],
    );
  }

  kept(): Promise<number> {
    return replicas.count('idempotent_replies', `data->>'name' = '${this.name}'`);
  }

  private readonly work: CommandWork = async (client, command, context) => {
    this.begun += 1;
    await this.gate;
    return createWorkspace(client, command, context);
  };
}

const isReplayed = (answer: Answer): boolean | string =>
  'ok' in answer ? answer.ok.replayed : answer.error.code;

describe('a command with an Idempotency-Key that is redelivered while it is in progress', () => {
  it('waits for its first delivery on another replica, and both get the answer of the single execution', async () => {
    const command = new KeyedCommand();
    const correlationId = randomUUID();
    command.shut();
    const first = command.deliver(correlationId);
    await eventually(() => command.begun === 1);
    const second = command.deliver(correlationId);
    await eventually(async () => (await replicas.count('pg_locks', 'not granted')) > 0);
    command.letGo();
    const [answer, again] = await Promise.all([first, second]);
    expect(isReplayed(answer)).toBe(false);
    expect(again).toEqual(answer);
    expect([command.begun, await command.made()]).toEqual([1, 1]);
  });

  it('a redelivered command is carried out by the delivery that waited when the first came to nothing', async () => {
    const command = new KeyedCommand();
    const correlationId = randomUUID();
    let fail: (reason: Error) => void = () => undefined;
    let isBegun = false;
    const first = command.deliver(correlationId, () => {
      isBegun = true;
      return new Promise((_, reject) => {
        fail = reject;
      });
    });
    const ended = first.then(
      () => 'answered',
      (error: unknown) => String(error),
    );
    await eventually(() => isBegun);
    const second = command.deliver(correlationId);
    await eventually(async () => (await replicas.count('pg_locks', 'not granted')) > 0);
    fail(new Error('The replica fell over.'));
    expect(await ended).toContain('TransientError');
    expect(isReplayed(await second)).toBe(false);
    expect(await command.made()).toBe(1);
  });
});

describe('another request with the same Idempotency-Key', () => {
  it('gets 409 while the first is in progress, and its redelivery gets the first one’s answer', async () => {
    const command = new KeyedCommand();
    const twin = randomUUID();
    command.shut();
    const first = command.deliver();
    await eventually(() => command.begun === 1);
    expect(isReplayed(await command.deliver(twin))).toBe('CONFLICT');
    expect(await replicas.count('inbox', `correlation_id = '${twin}'`)).toBe(0);
    command.letGo();
    const answer = await first;
    const later = await command.deliver(twin);
    expect(isReplayed(later)).toBe(true);
    expect('ok' in later && later.ok.data).toEqual('ok' in answer && answer.ok.data);
    expect(await command.made()).toBe(1);
  });

  it('replays for 24 hours, and is a new request after them, whose answer is then kept as long', async () => {
    const command = new KeyedCommand();
    await command.deliver();
    await command.age('23 hours 59 minutes');
    expect(isReplayed(await command.deliver())).toBe(true);
    await command.age('2 minutes');
    expect(isReplayed(await command.deliver())).toBe(false);
    expect(await command.made()).toBe(2);
    await command.age('23 hours 59 minutes');
    expect(isReplayed(await command.deliver())).toBe(true);
  });

  it('an answer under an Idempotency-Key is kept for 24 hours, and deleted afterwards', async () => {
    const [young, old] = [new KeyedCommand(), new KeyedCommand()];
    await Promise.all([young.deliver(), old.deliver()]);
    await young.age('23 hours 59 minutes');
    await old.age('24 hours 1 minute');
    expect(await forgetIdempotentReplies(replicas.pool)).toBe(false);
    expect([await young.kept(), await old.kept()]).toEqual([1, 0]);
  });

  it('an answer that is kept under a key of long ago while older ones are deleted stays', async () => {
    const command = new KeyedCommand();
    await command.deliver();
    await command.age('24 hours 1 minute');
    let deleting: Promise<unknown> = Promise.resolve();
    await inTransaction(replicas.owner, async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `update idempotent_replies set created_at = now() where created_at < now() - interval '1 day'
         returning pg_backend_pid() as pid`,
      );
      deleting = forgetIdempotentReplies(replicas.pool);
      const isWaitedFor = `${rows[0]?.pid} = any(pg_blocking_pids(pid))`;
      await eventually(async () => (await replicas.count('pg_stat_activity', isWaitedFor)) > 0);
    });
    await deleting;
    expect(await command.kept()).toBe(1);
  });

  it('answers under Idempotency-Keys are deleted in pieces of a thousand', async () => {
    await replicas.owner.query(
      `insert into idempotent_replies (scope, fingerprint, data, created_at)
       select sha256(n::text::bytea), sha256('x'), '{}', now() - interval '2 days' from generate_series(1, 1001) n`,
    );
    expect(await forgetIdempotentReplies(replicas.pool)).toBe(true);
    expect(await forgetIdempotentReplies(replicas.pool)).toBe(false);
    expect(await replicas.count('idempotent_replies', `created_at < now() - interval '1 day'`)).toBe(0);
  });

  it('answers kept of a workspace have a bound in bytes; beyond it a new key is refused before anything is done, and the kept ones stay', async () => {
    const { id } = await replicas.makeWorkspace();
    const other = await replicas.makeWorkspace();
    const create = (
      workspaceId: string,
      key: string | null,
      by: Pick<ResourceCommand, 'actor'> = commandOf({}),
    ): Promise<Answer> => {
      return replicas.next().command(
        {
          ...commandOf(siteBody(workspaceId)),
          actor: by.actor,
          idempotency:
            key === null ? null : { route: 'POST /api/v1/sites', key, fingerprint: 'ab'.repeat(32) },
        },
        randomUUID(),
        createSite,
      );
    };
    const kept = randomUUID();
    expect(await create(id, kept)).toHaveProperty('ok');
    const { rows } = await replicas.owner.query<{ bytes: number }>(
      `update idempotent_reply_bytes set bytes = $1::bigint - 1 where hour > now() - interval '2 hours'
         and holder = $2 returning bytes::float8`,
      [KEPT_REPLY_BYTES, fingerprint([id, null])],
    );
    expect(rows).toHaveLength(1);
    expect(await create(id, randomUUID())).toHaveProperty('ok');
    const there = await replicas.count('sites', `workspace_id = '${id}'`);
    expect(await create(id, randomUUID())).toEqual({
      error: expect.objectContaining({
        code: 'CONFLICT',
        details: { idempotent_reply_bytes: [expect.stringContaining(String(KEPT_REPLY_BYTES))] },
      }),
    });
    expect(await replicas.count('sites', `workspace_id = '${id}'`)).toBe(there);
    expect(isReplayed(await create(id, kept))).toBe(true);
    expect(await create(id, null)).toHaveProperty('ok');
    expect(await create(other.id, randomUUID())).toHaveProperty('ok');
    const visitor = { actor: { sub: null, email: null, key_id: null, key_prefix: null } };
    expect(await create(id, randomUUID(), visitor)).toHaveProperty('ok');
    await replicas.owner.query(`update idempotent_reply_bytes set hour = hour - interval '26 hours'`);
    expect(await create(id, randomUUID())).toHaveProperty('ok');
    await forgetReplyBytes(replicas.pool);
    expect(await replicas.count('idempotent_reply_bytes', `hour < now() - interval '25 hours'`)).toBe(0);
  });

  it('an Idempotency-Key that comes with another body is refused, in its own scope only', async () => {
    const key = randomUUID();
    const command = new KeyedCommand(key);
    await command.deliver();
    const other = commandOf({ name: 'Other', actor: OWNER });
    const send = (fields: Partial<ResourceCommand>): Promise<Answer> =>
      replicas.next().command(
        {
          ...other,
          idempotency: { route: 'POST /api/v1/workspaces', key, fingerprint: 'cd'.repeat(32) },
          ...fields,
        },
        randomUUID(),
        createWorkspace,
      );
    expect(isReplayed(await send({}))).toBe('CONFLICT');
    const stranger = { sub: 'auth0|stranger', email: null, key_id: null, key_prefix: null };
    expect(isReplayed(await send({ actor: stranger }))).toBe(false);
    expect(isReplayed(await send({ workspace_id: randomUUID() }))).toBe(false);
    const elsewhere = { route: 'POST /api/v1/other', key, fingerprint: 'cd'.repeat(32) };
    expect(isReplayed(await send({ idempotency: elsewhere }))).toBe(false);
  });
});
