/** Gives a configuration module its types. Loads nothing: handler threads import it too. */
import type { Configuration } from './schema.ts';

/** Returns its argument, or a function that makes it, unchanged. */
export function defineConfig<
  Given extends Configuration | (() => Configuration | Promise<Configuration>),
>(configuration: Given): Given {
  return configuration;
}
