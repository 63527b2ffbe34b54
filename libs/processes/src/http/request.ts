/** The envelope of every answer of the public interface (interface page, section 1). */
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

/** An HTTP answer with its parsed envelope. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope<T>;
  /** The raw body, for answers without an envelope. */
  readonly text: string;
}

/** What to send; the default method is POST with a body, and GET without. */
export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with its content type. */
  readonly json?: unknown;
  /** Sent unchanged; the caller sets the content type. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** One HTTP request; POST if it has a body. An answer with any status is returned, not thrown. */
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
