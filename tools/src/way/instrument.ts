import ts from 'typescript';

/** Calls that the instrumented text makes: see `Recorder`. */
export const RECORDER = '__truetallyWay';

interface Insertion {
  readonly at: number;
  readonly text: string;
  /** Of several insertions at one place: the outer function's before the inner's, or behind it. */
  readonly order: number;
}

/** Anything with a body that runs when it is called. */
type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

/**
 * The text of a module whose every function reports when it begins, when it continues behind an `await`, and when it
 * ends. A function that returns a promise ends when that settles.
 */
export function instrument(text: string, file: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const insertions: Insertion[] = [];
  const insert = (at: number, added: string): void => {
    insertions.push({ at, text: added, order: insertions.length });
  };
  const walk = (node: ts.Node, depth: number): void => {
    if (isWithBody(node)) return walkFunction(node, depth);
    if (depth > 0 && ts.isReturnStatement(node) && node.expression !== undefined) {
      insert(node.expression.getStart(), `${RECORDER}.returned(${activation(depth)}, (`);
      walk(node.expression, depth);
      return insert(node.expression.getEnd(), '))');
    }
    if (depth > 0 && ts.isAwaitExpression(node)) {
      insert(node.getStart(), `${RECORDER}.continued(${activation(depth)}, (`);
      walk(node.expression, depth);
      return insert(node.getEnd(), '))');
    }
    ts.forEachChild(node, (child) => walk(child, depth));
  };
  const walkFunction = (node: WithBody, depth: number): void => {
    for (const parameter of node.parameters) walk(parameter, depth);
    const { body } = node;
    const inner = depth + 1;
    const began = `const ${activation(inner)} = ${RECORDER}.began(${argumentsOf(node, depth, file)}); try {`;
    const ended = `} finally { ${RECORDER}.ended(${activation(inner)}); }`;
    if (ts.isBlock(body)) {
      insert(body.getStart() + 1, began);
      ts.forEachChild(body, (child) => walk(child, inner));
      return insert(body.getEnd() - 1, ended);
    }
    insert(body.getStart(), `{ ${began} return ${RECORDER}.returned(${activation(inner)}, (`);
    walk(body, inner);
    insert(body.getEnd(), `)); ${ended} }`);
  };
  walk(source, 0);
  return weave(text, insertions);
}

function isWithBody(node: ts.Node): node is WithBody {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function activation(depth: number): string {
  return `__way${depth}`;
}

/** The file, the name, the activation around it, and the object whose method it is. */
function argumentsOf(node: WithBody, depth: number, file: string): string {
  const isConstructor = ts.isConstructorDeclaration(node);
  const isDerived = isConstructor && node.parent.heritageClauses !== undefined;
  const hasThis = !ts.isArrowFunction(node) && !ts.isFunctionDeclaration(node) && !isDerived;
  return [
    JSON.stringify(file),
    JSON.stringify(nameOf(node)),
    depth === 0 ? 'undefined' : activation(depth),
    hasThis ? 'this' : 'undefined',
    String(isConstructor),
  ].join(', ');
}

function nameOf(node: WithBody): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  return node.name === undefined ? '' : node.name.getText();
}

/** Walked outside in, so that insertions at one place are in the order of their making. */
function weave(text: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((left, right) => left.at - right.at || left.order - right.order);
  let woven = '';
  let written = 0;
  for (const { at, text: added } of sorted) {
    woven += text.slice(written, at) + added;
    written = at;
  }
  return woven + text.slice(written);
}
