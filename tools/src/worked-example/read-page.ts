import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A block of the page that names a file: the whole of a new one, or a change of one. */
export interface PageBlock {
  /** The heading above it. */
  readonly part: string;
  readonly kind: 'change' | 'file';
  /** From the repository's root. */
  readonly path: string;
  readonly lines: readonly string[];
}

const FENCE = /^```(\w+) (\S+\.\w+)$/;

/** The blocks of a page, in their order: ```` ```ts path ```` is a file, ```` ```diff path ```` a change. */
export function readPage(text: string): readonly PageBlock[] {
  const blocks: PageBlock[] = [];
  let part = '';
  let open: { readonly block: Omit<PageBlock, 'lines'>; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, language, path] = FENCE.exec(line) ?? [];
    if (open !== undefined && line === '```') {
      blocks.push({ ...open.block, lines: open.lines });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line.startsWith('## ')) part = line.slice('## '.length);
    else if (path !== undefined)
      open = { block: { part, kind: language === 'diff' ? 'change' : 'file', path }, lines: [] };
  }
  return blocks;
}

/** Applies a block to the repository below `root`. @throws Error where a file is there already, or has no such lines */
export function applyBlock(root: string, block: PageBlock): void {
  const file = join(root, block.path);
  if (block.kind === 'change') {
    writeFileSync(file, changed(readFileSync(file, 'utf8'), block));
    return;
  }
  if (existsSync(file)) throw new Error(`${block.path} is there already`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${block.lines.join('\n')}\n`);
}

function changed(before: string, { path, lines }: PageBlock): string {
  const old = `\n${withSign(lines, '-')}`;
  const places = `\n${before}`.split(old).length - 1;
  if (places !== 1) throw new Error(`${path} has ${places} places with:\n${old}`);
  return `\n${before}`.replace(old, () => `\n${withSign(lines, '+')}`).slice(1);
}

/** The lines that both texts have, and those with this sign, each ended. */
function withSign(lines: readonly string[], sign: '+' | '-'): string {
  const own = lines.filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign));
  return own.map((line) => `${line.slice(1)}\n`).join('');
}
