import { describe, expect, it } from '@jest/globals';
import { mediaStoreOf, type MediaStoreOptions, mediaStoreSettings, readConfig } from './index.js';

const BUCKET = { MEDIA_STORE: 's3', MEDIA_S3_BUCKET: 'pictures' };

function read(environment: Readonly<Record<string, string>>): MediaStoreOptions {
  return mediaStoreOf(readConfig(environment, mediaStoreSettings()));
}

describe('where pictures are kept', () => {
  it('the store of pictures is a folder by default, which must be named', () => {
    expect(read({ MEDIA_DIRECTORY: '/srv/media' })).toEqual({ kind: 'disk', directory: '/srv/media' });
    expect(() => read({})).toThrow('MEDIA_DIRECTORY is missing; MEDIA_STORE=disk needs it');
  });

  it('the store of pictures is a bucket, with the platform’s credentials, or a pair of keys', () => {
    expect(read(BUCKET)).toEqual({
      kind: 's3',
      bucket: 'pictures',
      region: 'us-east-1',
      endpoint: undefined,
      isPathStyle: false,
      credentials: undefined,
    });
    const own = {
      ...BUCKET,
      MEDIA_S3_ENDPOINT: 'https://store.example:9000',
      MEDIA_S3_REGION: 'eu',
      MEDIA_S3_PATH_STYLE: 'true',
      MEDIA_S3_ACCESS_KEY_ID: 'id',
      MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
    };
    expect(read(own)).toMatchObject({
      endpoint: 'https://store.example:9000',
      region: 'eu',
      isPathStyle: true,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    });
  });

  it.each([
    [{ MEDIA_STORE: 'tape' }, 'MEDIA_STORE must be disk or s3'],
    [{ MEDIA_STORE: 's3' }, 'MEDIA_S3_BUCKET is missing; MEDIA_STORE=s3 needs it'],
    [{ ...BUCKET, MEDIA_S3_ENDPOINT: 'store.example' }, 'MEDIA_S3_ENDPOINT must be an absolute http(s) URL'],
    [{ ...BUCKET, MEDIA_S3_ACCESS_KEY_ID: 'id' }, 'need each other'],
    [{ ...BUCKET, MEDIA_S3_SECRET_ACCESS_KEY: 'secret' }, 'need each other'],
  ])('stops the start with %j', (environment, message) => {
    expect(() => read(environment)).toThrow(message);
  });
});
