import type { CommandAnswer, ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { AskContext } from '@truetally/messaging';
import type { ClientBase } from 'pg';
import type { CommandWork, WrittenReply } from './outcome.js';
import type { Queryable } from './page.js';
import type { ResourceDatabase } from './resource-database.js';

/** How functions on a service's resources answer operations: `createSite: command(createSite)`. */
export class ResourceAnswers {
  constructor(private readonly database: ResourceDatabase) {}

  readonly command =
    (work: CommandWork) =>
    (command: ResourceCommand, { correlationId }: AskContext): Promise<Reply<CommandAnswer<unknown>>> =>
      this.database.command(command, correlationId, work);

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
