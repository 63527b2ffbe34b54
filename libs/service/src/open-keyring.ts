import { KeyringFile, type KeyringFileOptions } from '@truetally/keyring';
import type { Logger, Metrics } from '@truetally/platform';

/**
 * The keyring of a process; the log names the ids of its keys.
 * @throws Error naming KEYRING_FILE: a process that can neither seal nor open does not start
 */
export function openKeyring(
  path: string,
  log: Logger,
  metrics: Metrics,
  { pollIntervalMs }: Pick<KeyringFileOptions, 'pollIntervalMs'> = {},
): KeyringFile {
  const refusals = metrics.counter('keyring_refused_total', 'Changes of the keyring that were refused.', []);
  const file = open(path, {
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
    onChanged: ({ currentKeyId, keyIds }) => {
      log.info({ current_key_id: currentKeyId, key_ids: keyIds }, 'The keyring was read again.');
    },
    onRefused: (fault) => {
      refusals.inc();
      log.error({ fault }, 'A changed keyring is refused; the one before it stays in force.');
    },
  });
  const { currentKeyId, keyIds } = file.keyring;
  log.info({ current_key_id: currentKeyId, key_ids: keyIds }, 'The keyring was read.');
  return file;
}

function open(path: string, options: KeyringFileOptions): KeyringFile {
  try {
    return KeyringFile.open(path, options);
  } catch (error) {
    const fault = String(error).replace(/^Error: /, '');
    throw new Error(`KEYRING_FILE must name a keyring that can be used. ${fault}`, { cause: error });
  }
}
