const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** The type of an upload; undefined for an unknown one, and for another encoding than UTF-8. */
export function uploadTypeOf(header: string | undefined): 'csv' | 'json' | undefined {
  const [name = ''] = (header ?? '').split(';');
  const charset = CHARSET.exec(header ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') return undefined;
  switch (name.trim().toLowerCase()) {
    case 'text/csv':
      return 'csv';
    case 'application/json':
      return 'json';
    default:
      return undefined;
  }
}
