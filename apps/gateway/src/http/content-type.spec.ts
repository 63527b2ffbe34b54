import { describe, expect, it } from '@jest/globals';
import { mediaTypeOf } from './read-body.js';

describe('the Content-Type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; Charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; version=1',
  ])('the Content-Type of a body is JSON: %s', (header) => {
    expect(mediaTypeOf(header)).toBe('application/json');
  });

  it.each(['text/plain', 'text/plain;charset=UTF-8'])(
    "the Content-Type of a body is a beacon's text: %s",
    (header) => {
      expect(mediaTypeOf(header)).toBe('text/plain');
    },
  );

  it.each([
    undefined,
    '',
    'application/json; charset=iso-8859-1',
    'application/json; charset=',
    'application/json; charset',
    'application/json; charset=utf-16',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
    'application/jsonx',
  ])('the Content-Type of a body is not one that we read: %s', (header) => {
    expect(mediaTypeOf(header)).toBeUndefined();
  });
});
