import type { FieldErrors, Result } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';
import type { RecordReader } from '../facts/record-reader.js';
import { isJsonObject } from '../validation/shape.js';

/**
 * The caller, as verified by the gateway: a user by the issuer's subject, or an API key by its id and prefix.
 */
export interface Actor {
  readonly sub: string | null;
  /** The user's, in lower case, if the issuer has verified it. */
  readonly email: string | null;
  readonly key_id: string | null;
  readonly key_prefix: string | null;
}

/** Identifies a repeated request (interface page, section 1: `Idempotency-Key`). */
export interface IdempotencyClaim {
  /** Method and path as received: part of the key's scope, with workspace and actor. */
  readonly route: string;
  /** 1–255 characters, from the client. */
  readonly key: string;
  /** SHA-256 of the request's content, hex. */
  readonly fingerprint: string;
}

/** The message of every command to management: `management.commands/create-site` and so on. */
export interface ResourceCommand {
  /** `NO_WORKSPACE` for requests outside of any workspace. */
  readonly workspace_id: string;
  /** Null for the platform itself. */
  readonly actor: Actor | null;
  /** The ids in the path, lower-case UUIDs: `{ "site_id": … }`. */
  readonly params: Readonly<Record<string, string>>;
  /** From `If-Match`: the version that the caller read. */
  readonly version: number | null;
  readonly idempotency: IdempotencyClaim | null;
  /** The client's body, validated by the service that owns the resource. */
  readonly body: unknown;
  /** For services that decide by copies of other services' resources. */
  readonly awaits?: AwaitedVersions;
}

/**
 * What the asker knows of resources that a command depends on: versions by id, null for a deleted one. The
 * service decides when its copies are as new, so that a command never contradicts an answer before it.
 */
export interface AwaitedVersions {
  readonly sites: Readonly<Record<string, number | null>>;
  readonly campaigns: Readonly<Record<string, number | null>>;
}

/** The message of every query: of one resource (the limit is ignored), or of a page. */
export interface ResourceQuery {
  readonly workspace_id: string;
  readonly actor: Actor | null;
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters that filter a list, as received. */
  readonly filters: Readonly<Record<string, string>>;
  /** 1–200. */
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor: string | null;
}

/** The content of `ok` in the reply to a command. */
export interface CommandAnswer<T> {
  readonly data: T;
  /** Whether this is the answer of an earlier request with the same key. */
  readonly replayed: boolean;
}

/** The content of `ok` in the reply to a list query. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** A validated resource, or every rule that its body breaks. */
export type BodyReading<T> = Result<T, FieldErrors>;

/** The message of every command, on the wire. */
export const RESOURCE_COMMAND = recordCodec((reader): ResourceCommand => {
  const actor = reader.objectOrNull('actor');
  const idempotency = reader.objectOrNull('idempotency');
  return {
    workspace_id: reader.text('workspace_id'),
    actor: actor === null ? null : readActor(actor),
    params: reader.textMap('params'),
    version: reader.integerOrNull('version'),
    idempotency: idempotency === null ? null : readClaim(idempotency),
    body: reader.anything('body'),
    ...awaitedIn(reader.anything('awaits')),
  };
});

/** The message of every query, on the wire. */
export const RESOURCE_QUERY = recordCodec((reader): ResourceQuery => {
  const actor = reader.objectOrNull('actor');
  return {
    workspace_id: reader.text('workspace_id'),
    actor: actor === null ? null : readActor(actor),
    params: reader.textMap('params'),
    filters: reader.textMap('filters'),
    limit: reader.integer('limit'),
    cursor: reader.textOrNull('cursor'),
  };
});

/** Each service judges the versions that it has copies of. */
function awaitedIn(awaits: unknown): Pick<ResourceCommand, 'awaits'> {
  return isJsonObject(awaits) ? { awaits: awaits as unknown as AwaitedVersions } : {};
}

function readActor(reader: RecordReader): Actor {
  return {
    sub: reader.textOrNull('sub'),
    email: reader.textOrNull('email'),
    key_id: reader.textOrNull('key_id'),
    key_prefix: reader.textOrNull('key_prefix'),
  };
}

function readClaim(reader: RecordReader): IdempotencyClaim {
  return {
    route: reader.text('route'),
    key: reader.text('key'),
    fingerprint: reader.text('fingerprint'),
  };
}
