import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MISTAKES, withMistake } from './mistakes.js';
import { podOf, readFolder } from './objects.js';

const BROKER = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: kafka, namespace: truetally }
spec:
  template:
    metadata: { labels: { app.kubernetes.io/name: kafka } }
    spec:
      containers: [{ name: kafka, image: kafka }]
      volumes: [{ name: secrets, secret: { secretName: kafka, defaultMode: 0440 } }]
  volumeClaimTemplates: [{ metadata: { name: data } }]
---
`;

describe('objects of Kubernetes', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-objects-'));
    writeFileSync(join(folder, 'kafka.yaml'), BROKER);
    writeFileSync(join(folder, 'notes.txt'), 'no YAML: [');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('are read as Kubernetes reads them: a mode with a zero is octal, an empty document is nothing', () => {
    const objects = readFolder(folder);
    expect(objects.map(({ kind }) => kind)).toEqual(['StatefulSet']);
    expect(objects[0]?.spec).toMatchObject({
      template: { spec: { volumes: [{ secret: { defaultMode: 0o440 } }] } },
    });
  });

  it('that make pods give them their labels, volumes and claims', () => {
    const [broker] = readFolder(folder);
    expect(broker === undefined ? undefined : podOf(broker)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'kafka-pod',
        namespace: 'truetally',
        labels: { 'app.kubernetes.io/name': 'kafka' },
      },
      spec: {
        containers: [{ name: 'kafka', image: 'kafka' }],
        volumes: [
          { name: 'secrets', secret: { secretName: 'kafka', defaultMode: 0o440 } },
          { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        ],
      },
    });
  });

  it('that make no pods have none', () => {
    expect(podOf({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'kafka' } })).toBeUndefined();
  });

  it('are needed for a mistake', () => {
    const [mistake] = MISTAKES;
    if (mistake === undefined) throw new Error('There is no mistake.');
    expect(() => withMistake(readFolder(folder), mistake)).toThrow('There is no Deployment to change.');
  });
});
