import type { CommandAnswer, ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { FairQueue, type Reply } from '@truetally/kernel';
import type { AskContext } from '@truetally/messaging';
import type { ClientBase } from 'pg';
import type { CommandWork, WrittenReply } from './outcome.js';
import type { Queryable } from './page.js';
import type { ResourceDatabase } from './resource-database.js';

/** How functions on a service's resources answer operations: `createSite: command(createSite)`. */
export class ResourceAnswers {
  /** An owner has three quarters of the connections that others leave: its commands that wait for each other delay no other owner's. */
  private readonly turns: FairQueue;

  constructor(private readonly database: ResourceDatabase) {
    const { connections } = database;
    this.turns = new FairQueue(connections, Math.max(1, Math.floor((3 * connections) / 4)));
  }

  readonly command =
    (work: CommandWork) =>
    (
      command: ResourceCommand,
      { correlationId, holder = command.workspace_id }: Pick<AskContext, 'correlationId' | 'holder'>,
    ): Promise<Reply<CommandAnswer<unknown>>> =>
      this.turns.run(holder, () => this.database.command(command, correlationId, work));

  readonly query =
    <Q extends object, R extends Reply<unknown> | WrittenReply>(
      work: (client: Queryable, query: Q) => Promise<R>,
    ) =>
    (query: Q): Promise<R> =>
      this.database.query(query, work);

  readonly report =
    <R extends Reply<unknown>>(work: (client: Queryable, query: ResourceQuery) => Promise<R>) =>
    (query: ResourceQuery): Promise<R> =>
      this.database.report(query, work);

  readonly note =
    <T>(work: (client: Queryable, told: T) => Promise<Reply<object>>) =>
    (told: T): Promise<Reply<object>> =>
      this.database.note(told, work);

  readonly change =
    <T, Answer>(work: (client: ClientBase, told: T) => Promise<Reply<Answer>>) =>
    (told: T): Promise<Reply<Answer>> =>
      this.database.change(told, work);
}
