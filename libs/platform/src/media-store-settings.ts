import { type Configuration, ConfigError, flag, type Setting, text } from './config.js';

/** Where pictures are stored: the same for every service that writes or reads them. */
export function mediaStoreSettings() {
  return {
    MEDIA_STORE: text({ default: 'disk', pattern: /^(disk|s3)$/, rule: 'disk or s3' }),
    /** A folder that all of them share. */
    MEDIA_DIRECTORY: text({ default: '' }),
    MEDIA_S3_BUCKET: text({ default: '' }),
    MEDIA_S3_REGION: text({ default: 'us-east-1' }),
    /** Of a store other than Amazon's. */
    MEDIA_S3_ENDPOINT: text({ default: '', pattern: /^https?:\/\/\S+$/, rule: 'an absolute http(s) URL' }),
    MEDIA_S3_PATH_STYLE: flag({ default: false }),
    /** Both, or neither: then the platform's credentials of the process are used. */
    MEDIA_S3_ACCESS_KEY_ID: text({ default: '' }),
    MEDIA_S3_SECRET_ACCESS_KEY: optionalSecret(),
  };
}

export type MediaStoreConfig = Configuration<ReturnType<typeof mediaStoreSettings>>;

/** Where pictures and uploads are stored, as `openObjectStore` takes it. */
export type MediaStoreOptions =
  | { readonly kind: 'disk'; readonly directory: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly region: string;
      readonly endpoint: string | undefined;
      readonly isPathStyle: boolean;
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
    };

/** @throws ConfigError naming what the chosen store requires and lacks */
export function mediaStoreOf(config: MediaStoreConfig): MediaStoreOptions {
  const {
    MEDIA_S3_ACCESS_KEY_ID: accessKeyId,
    MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey,
    MEDIA_S3_ENDPOINT: endpoint,
  } = config;
  if (config.MEDIA_STORE === 'disk') {
    if (config.MEDIA_DIRECTORY === '') throw missing('MEDIA_DIRECTORY', 'MEDIA_STORE=disk');
    return { kind: 'disk', directory: config.MEDIA_DIRECTORY };
  }
  if (config.MEDIA_S3_BUCKET === '') throw missing('MEDIA_S3_BUCKET', 'MEDIA_STORE=s3');
  if ((accessKeyId === '') !== (secretAccessKey === '')) {
    throw new ConfigError(['MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY need each other']);
  }
  return {
    kind: 's3',
    bucket: config.MEDIA_S3_BUCKET,
    region: config.MEDIA_S3_REGION,
    endpoint: endpoint === '' ? undefined : endpoint,
    isPathStyle: config.MEDIA_S3_PATH_STYLE,
    credentials: accessKeyId === '' ? undefined : { accessKeyId, secretAccessKey },
  };
}

function missing(name: string, by: string): ConfigError {
  return new ConfigError([`${name} is missing; ${by} needs it`]);
}

function optionalSecret(): Setting<string> {
  return { rule: 'a secret', secret: true, parse: (raw) => raw, fallback: () => '' };
}
