/**
 * Turns anything that can be thrown into a {@link RunError}: plain text within budgets. Loaded on
 * both sides. Never throws, whatever getters, proxies and circles the thrown value has.
 */
import { ERROR_MESSAGE_MAX, ERROR_NAME_MAX, ERROR_STACK_MAX } from '../contract/outcome.ts';
import type { RunError } from '../contract/outcome.ts';

const CAUSES_MAX = 5;
const MARKS = new Set(['skip', 'dead-letter', 'retry', 'stop']);

export function toRunError(thrown: unknown): RunError {
  const mark = read(thrown, 'tidemark');
  const error = {
    name: cut(nameOf(thrown), ERROR_NAME_MAX),
    message: cut(messageOf(thrown), ERROR_MESSAGE_MAX),
    stack: stackOf(thrown),
  };
  return typeof mark === 'string' && MARKS.has(mark)
    ? { ...error, mark: mark as NonNullable<RunError['mark']> }
    : error;
}

/** A property of anything; undefined when there is none or reading it throws. */
function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function nameOf(thrown: unknown): string {
  const name = read(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name;
  return thrown === null ? 'null' : typeof thrown;
}

function messageOf(thrown: unknown): string {
  const message = read(thrown, 'message');
  if (typeof message === 'string') return message;
  try {
    if (typeof thrown === 'object' && thrown !== null)
      return `an object was thrown: ${JSON.stringify(thrown)}`;
    return `${typeof thrown} was thrown: ${String(thrown)}`;
  } catch {
    return 'an object that cannot be printed was thrown';
  }
}

/** The stack, and those of its causes, as far as the budget goes. */
function stackOf(thrown: unknown): string {
  let text = '';
  const seen = new Set<unknown>();
  let current = thrown;
  while (current !== undefined && !seen.has(current) && seen.size <= CAUSES_MAX) {
    seen.add(current);
    const stack = read(current, 'stack');
    const own = cut(typeof stack === 'string' ? stack : messageOf(current), ERROR_STACK_MAX);
    text += text === '' ? own : `\n[cause] ${own}`;
    if (text.length >= ERROR_STACK_MAX) break;
    current = read(current, 'cause');
  }
  return cut(text, ERROR_STACK_MAX);
}

/** Half a surrogate pair at the end would not survive UTF-8, so it goes too. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 2);
  const end = last >= 0xd800 && last <= 0xdbff ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}
