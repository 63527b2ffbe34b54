import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';

/** Pages whose samples run. */
export const PAGES: readonly string[] = [
  'README.md',
  'libs/browser-sdk/README.md',
  'libs/node-sdk/README.md',
  'libs/worker/README.md',
  'examples/README.md',
  ...readdirSync(join(REPOSITORY_ROOT, 'docs', 'guides'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guides/${name}`),
];
const RUN: readonly string[] = ['sh', 'bash', 'js', 'ts'];

/** A fenced block of a page. */
export interface Sample {
  readonly language: string;
  readonly text: string;
  /** Of its first line, from 1. */
  readonly line: number;
  /** Of a comment `<!-- sample: … -->` above it: why it is not run here. */
  readonly marker: string | undefined;
}

/** Pictures and plain text are not run. */
const NOT_CODE: readonly string[] = ['mermaid', 'text'];
const MARKER = /^<!-- sample: (.+) -->$/;
const FENCE = /^(`{3,})(\w*)$/;

/** Whether the sample is to run, and not only to be read. */
export function isRun({ language, marker }: Sample): boolean {
  return marker === undefined && RUN.includes(language);
}

/** @param page from the root */
export function samplesIn(page: string): readonly Sample[] {
  return samplesOf(readFileSync(join(REPOSITORY_ROOT, page), 'utf8'));
}

/** Every block of code of a page, in order. @throws Error when a block has no language */
export function samplesOf(page: string): readonly Sample[] {
  const samples: Sample[] = [];
  const lines = page.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const [, fence, language] = FENCE.exec((lines[index] ?? '').trim()) ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (language === '' || language === undefined)
      throw new Error(`The block in line ${index + 1} has no language.`);
    if (end === -1) throw new Error(`The block in line ${index + 1} has no end.`);
    const above = lines.slice(0, index).findLast((line) => line.trim() !== '') ?? '';
    const marker = MARKER.exec(above.trim())?.[1];
    const text = lines.slice(index + 1, end).join('\n');
    if (!NOT_CODE.includes(language)) samples.push({ language, text, line: index + 1, marker });
    index = end;
  }
  return samples;
}
