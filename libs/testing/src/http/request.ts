/** The envelope around every answer of the public interface (docs: HTTP interface, section 1). */
export interface Envelope<T> {
  readonly success: boolean;
  readonly data?: T;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, readonly string[]>>;
  };
  readonly meta: { readonly timestamp: string; readonly request_id: string };
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope<T>;
  /** What came over the wire, for when it is no envelope. */
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with its content type. */
  readonly json?: unknown;
  /** Sent as it is; the content type is the caller's. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** One HTTP request; POST when there is something to send. An answer of any status is an answer, not an error. */
export async function request<T = unknown>(url: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const response = await fetch(url, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) as Envelope<T>, text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { success: false, meta: { timestamp: '', request_id: '' } };
  }
}
