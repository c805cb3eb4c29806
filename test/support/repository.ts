/** The checkout as text, for the tests in which the repository checks itself. */
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { inProject } from './project.ts';

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'build-asan', 'results', 'coverage']);

/** Paths of all files below the folders, relative to the checkout, that end in one of `endings`. */
export function filesIn(folders: readonly string[], endings: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(inProject(folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesIn([path], endings);
      return endings.some((ending) => entry.name.endsWith(ending)) ? [path] : [];
    }),
  );
}

export function textOf(path: string): string {
  return readFileSync(inProject(path), 'utf8');
}

export interface Import {
  /** The importing file, relative to the checkout. */
  readonly from: string;
  /** A file of the checkout, a `node:` module, or the name of a package. */
  readonly to: string;
  readonly kind: 'own' | 'node' | 'package';
  readonly typesOnly: boolean;
}

/** Every import and re-export of a TypeScript file, dynamic ones included. */
export function importsOf(from: string): Import[] {
  const code = textOf(from).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statements = code.matchAll(
    /^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, type, named, bare, dynamic]) => {
    const name = named ?? bare ?? dynamic ?? '';
    const typesOnly = type !== undefined;
    if (name.startsWith('node:')) return { from, to: name, kind: 'node', typesOnly };
    if (name.startsWith('.')) {
      const to = posix.join(posix.dirname(from), name);
      return { from, to, kind: 'own', typesOnly };
    }
    const parts = name.split('/');
    const to = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/');
    return { from, to, kind: 'package', typesOnly };
  });
}

/** The rows of the first table below a heading, as cells without their outer blanks. */
export function tableBelow(document: string, heading: string): string[][] {
  const lines = textOf(document).split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.includes(heading));
  if (start < 0) throw new Error(`${document} has no heading "${heading}"`);
  const first = lines.findIndex((line, at) => at > start && line.startsWith('|'));
  const rows: string[][] = [];
  for (const line of lines.slice(first)) {
    if (!line.startsWith('|')) break;
    // A bar behind a backslash belongs to the text.
    rows.push(
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  return rows.slice(2);
}

/** The words in backticks of a text. */
export function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}
