import { plainWords } from '../domain/plain-words.js';
import { ApiError, noAnswer } from './api-error.js';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** After the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** Sent as it is, in place of a body. */
  readonly file?: { readonly content: Blob; readonly type: string };
  /** Of the member's workspace; the path may decide instead. */
  readonly workspaceId?: string | undefined;
  /** The same for each press of one button: a repetition has the first answer. */
  readonly idempotencyKey?: string;
  /** The version that the change is based on. */
  readonly version?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiSettings {
  readonly baseUrl: string;
  readonly idToken: () => Promise<string>;
  /** The token is not taken. */
  readonly onUnauthorized: () => void;
  /** The page stays where it is until the returned function is called. */
  readonly stay: () => () => void;
  /**
   * An answer that does not begin, or does not go on, by then is given up: its connection may be dead, which a browser notices
   * after minutes. Only a file that is sent may take longer until its answer begins.
   */
  readonly silenceMs?: number;
}

/** `data` of a success; of a table, which has no envelope, a `Blob`. @throws ApiError */
export type Api = <T>(request: ApiRequest) => Promise<T>;

const MS_PER_SECOND = 1000;
const READ_ATTEMPTS = 3;
const RETRY_MS = 1000;
const MAX_WAIT_MS = 10_000;
const SILENCE_MS = 30_000;
const SILENT = 'SILENT';
/** Another connection may be a living one; whoever was silent on two of them is so on a third. */
const SILENT_ATTEMPTS = 2;
/** In which the page shows the answer to a change, and forgets the draft that it was made of. */
const SHOWN_AFTER_MS = 1_000;

/**
 * Reads are tried again after network errors, 429 and 503; writes never by themselves. Two presses of one button are one
 * request.
 */
export function createApi(settings: ApiSettings): Api {
  const pressed = new Map<string, Promise<unknown>>();
  const send = sending(settings);
  return <T>(request: ApiRequest): Promise<T> => {
    const { idempotencyKey: key } = request;
    if (key === undefined) return send<T>(request);
    const pending = pressed.get(key) ?? send<T>(request).finally(() => pressed.delete(key));
    pressed.set(key, pending);
    return pending as Promise<T>;
  };
}

function sending(settings: ApiSettings): Api {
  return async <T>(request: ApiRequest): Promise<T> => {
    const attempts = (request.method ?? 'GET') === 'GET' ? READ_ATTEMPTS : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce<T>(settings, request);
      } catch (error) {
        const waitMs = error instanceof ApiError ? waitOf(error, attempt) : undefined;
        if (waitMs === undefined || attempt >= attempts || request.signal?.aborted === true) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  };
}

function waitOf({ status, code, retryAfterMs }: ApiError, attempt: number): number | undefined {
  if (code === SILENT && attempt >= SILENT_ATTEMPTS) return undefined;
  if (status === 0) return RETRY_MS * attempt;
  if (status !== 503 && status !== 429) return undefined;
  return retryAfterMs > MAX_WAIT_MS ? undefined : Math.max(retryAfterMs, RETRY_MS);
}

/** A page that left while a change is under way would never know its answer, and make it a second time. */
async function sendOnce<T>(settings: ApiSettings, request: ApiRequest): Promise<T> {
  const token = await settings.idToken();
  if ((request.method ?? 'GET') === 'GET') return answerTo<T>(settings, request, token);
  const leave = settings.stay();
  return answerTo<T>(settings, request, token).finally(() => setTimeout(leave, SHOWN_AFTER_MS));
}

async function answerTo<T>(
  { baseUrl, onUnauthorized, silenceMs = SILENCE_MS }: ApiSettings,
  request: ApiRequest,
  token: string,
): Promise<T> {
  const { method = 'GET', path, query = {}, body, file, workspaceId } = request;
  const { idempotencyKey, version, signal } = request;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const headers = new Headers({ Authorization: `Bearer ${token}` });
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  if (file !== undefined) headers.set('Content-Type', file.type);
  if (workspaceId !== undefined) headers.set('X-Workspace-Id', workspaceId);
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
  if (version !== undefined) headers.set('If-Match', `"${version}"`);
  const target = baseUrl + path + (search.size === 0 ? '' : `?${search}`);
  const isRead = method === 'GET';
  const silence = new AbortController();
  const giveUp = (): void => silence.abort(noAnswer(isRead, SILENT));
  let timer = file === undefined ? setTimeout(giveUp, silenceMs) : undefined;
  const hear = (): void => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, silenceMs);
  };
  try {
    const response = await reach(target, {
      method,
      headers,
      body: body === undefined ? (file?.content ?? null) : JSON.stringify(body),
      signal: AbortSignal.any([silence.signal, ...(signal === undefined ? [] : [signal])]),
      credentials: 'omit',
    });
    hear();
    const heard = new Response(response.body?.pipeThrough(heardBy(hear)), response);
    if (response.ok && response.headers.get('Content-Type')?.startsWith('text/csv') === true) {
      return (await heard.blob()) as T;
    }
    const answer = await envelopeOf<T>(heard);
    if (response.ok && answer.success === true) return answer.data;
    if (response.status === 401) onUnauthorized();
    throw errorOf(response, answer);
  } catch (error) {
    silence.signal.throwIfAborted();
    // A body that breaks off is no answer, either.
    throw error instanceof TypeError ? noAnswer(isRead) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Calls for each part of a body: a long one takes its time, and only a silent one is given up. */
function heardBy(hear: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform: (part, on) => {
      hear();
      on.enqueue(part);
    },
  });
}

/** @throws ApiError of status 0 when there is no answer */
export async function reach(target: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(target, request);
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    throw noAnswer(request.method === undefined || request.method === 'GET');
  }
}

/** What an answer refuses. */
export async function refusalOf(response: Response): Promise<ApiError> {
  return errorOf(response, await envelopeOf(response).catch(() => ({ data: undefined })));
}

/** @throws when the body breaks off */
async function envelopeOf<T>(response: Response): Promise<Envelope<T>> {
  const answer: unknown = await response.json().catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
  });
  return (answer ?? {}) as Envelope<T>;
}

interface Envelope<T> {
  readonly success?: boolean;
  readonly data: T;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, readonly string[]>>;
  };
}

function errorOf(response: Response, { error }: Envelope<unknown>): ApiError {
  const seconds = Number(response.headers.get('Retry-After') ?? 0);
  return new ApiError(
    response.status,
    error?.code ?? 'INVALID_ANSWER',
    error?.message ?? 'The answer is not one of the service.',
    Object.fromEntries(Object.entries(error?.details ?? {}).map(([at, said]) => [at, said.map(plainWords)])),
    response.headers.get('X-Request-Id') ?? undefined,
    Number.isFinite(seconds) ? seconds * MS_PER_SECOND : 0,
  );
}
