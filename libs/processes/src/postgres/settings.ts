/**
 * For tests, which kill processes and not machines: what a process has written stays with the kernel. No disk is waited for, no page
 * is written twice, and no part of the log is filled with zeros first. Nobody guesses the passwords of services, whose four thousand
 * rounds are two fifths of what each of three thousand connections costs a client.
 */
export const FOR_TESTS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_init_zero: 'off',
  scram_iterations: '1',
} as const;

/** Settings of a small local database: durable, loopback only, and quiet. */
export function serverSettings(
  port: number,
  walCompression: string,
  more: Readonly<Record<string, string>> = {},
): readonly string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    min_wal_size: '256MB',
    checkpoint_timeout: '15min',
    wal_compression: walCompression,
    wal_buffers: '16MB',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    jit: 'off',
    max_parallel_workers_per_gather: 1,
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] %q%a ',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...more,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
