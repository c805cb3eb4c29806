/** The effective settings in the form of a configuration file, for `tidemark config` and `/status`. */
import { stringify } from 'yaml';
import type { Settings } from '../contract/settings.ts';
import { masked } from './mask.ts';

/** Plain data with the keys of the configuration file and with secrets masked. */
export function printableSettings(settings: Settings): Record<string, unknown> {
  const { startFrom } = settings.kafka;
  const from = typeof startFrom === 'object' ? new Date(startFrom.timeMs).toISOString() : startFrom;
  const shown: Settings = masked(settings) as Settings;
  return { ...shown, kafka: { ...shown.kafka, startFrom: from } };
}

/** The same as text. */
export function settingsText(settings: Settings, format: 'yaml' | 'json'): string {
  const shown = printableSettings(settings);
  return format === 'json'
    ? `${JSON.stringify(shown, null, 2)}\n`
    : stringify(shown, { lineWidth: 0 });
}
