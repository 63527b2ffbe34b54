const CRLF = '\r\n';
export const BOUNDARY = '----form-boundary-7MA4YWxkTrZu0gW';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export interface FormPart {
  readonly name: string;
  /** A part without one is a field, not a file. */
  readonly fileName?: string;
  readonly content: string | Uint8Array;
  /** Further header lines. */
  readonly headers?: readonly string[];
}

/** A multipart form as browsers and curl write it. */
export function formOf(...parts: readonly FormPart[]): Buffer<ArrayBuffer> {
  const pieces = parts.flatMap((part) => [headOf(part), Buffer.from(part.content), Buffer.from(CRLF)]);
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--${CRLF}`)]);
}

export function fileForm(content: string | Uint8Array): Buffer<ArrayBuffer> {
  return formOf({ name: 'file', fileName: 'picture.png', content });
}

function headOf({ name, fileName, headers = [] }: FormPart): Buffer {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  const type = fileName === undefined ? [] : ['Content-Type: application/octet-stream'];
  const lines = [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${name}"${file}`,
    ...type,
    ...headers,
  ];
  return Buffer.from([...lines, '', ''].join(CRLF));
}
