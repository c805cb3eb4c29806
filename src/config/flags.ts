/** `--set KEY=VALUE` as configuration. */
import { TidemarkError } from '../contract/errors.ts';
import { nodeAt } from './keys.ts';
import type { Assignment } from './overlay.ts';
import { readAs, readUntyped } from './scalars.ts';

const PROPERTIES = 'kafka.properties.';

/** Below `kafka.properties` the dots belong to the property's name. */
function pathOf(key: string): string[] {
  return key.startsWith(PROPERTIES)
    ? ['kafka', 'properties', key.slice(PROPERTIES.length)]
    : key.split('.');
}

/** What one `--set` sets. Throws a {@link TidemarkError} with code TIDEMARK_USAGE for wrong syntax. */
export function flagAssignment(flag: string): Assignment {
  const at = flag.indexOf('=');
  const key = flag.slice(0, Math.max(at, 0)).trim();
  const path = pathOf(key);
  if (key === '' || path.includes('') || path.includes('__proto__'))
    throw new TidemarkError(
      'TIDEMARK_USAGE',
      `--set ${at < 0 ? flag : key} is not KEY=VALUE; for example --set workers.threads=4`,
    );
  const text = flag.slice(at + 1);
  const node = nodeAt(path);
  const untyped = path[0] === 'handler' && path[1] === 'options' && path.length > 2;
  const typed = node?.path === key ? readAs(node, text) : text;
  return { path, value: untyped ? readUntyped(text) : typed, origin: `--set ${key}` };
}
