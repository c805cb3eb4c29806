/**
 * Keeps secrets out of what is printed: `tidemark config`, `/status` and error messages. A value is
 * masked by the name it stands under, and inside any text by what gives it away.
 */
export const MASK = '****';

const SECRET =
  'passw|passphrase|pwd|secret|token|credential|api[._-]?key|private[._-]?key|key[._-]?pem|access[._-]?key' +
  '|jaas|authorization|oauthbearer[._-]config|ssl_key';
const SECRET_NAME = new RegExp(SECRET, 'i');
/** Names that tell where a secret lies are none themselves. */
const PLACE_NAME = /(?:location|url|uri|file|path|endpoint)$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g;
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)([^\s/@:]*)(:?)[^\s]*@/gi;
const ASSIGNMENT = new RegExp(
  `([\\w.-]*(?:${SECRET})[\\w.-]*\\s*=\\s*)("[^"]*"|'[^']*'|[^\\s&;,]+)`,
  'gi',
);

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLACE_NAME.test(name);
}

function maskText(text: string): string {
  return text
    .replace(PRIVATE_KEY, MASK)
    .replace(URL_CREDENTIALS, (_, scheme: string, user: string, colon: string) =>
      colon === '' ? `${scheme}${MASK}@` : `${scheme}${user}:${MASK}@`,
    )
    .replace(ASSIGNMENT, `$1${MASK}`);
}

/** A copy of plain data in which secrets are masked; `secret` when the name above says so already. */
export function masked(value: unknown, secret = false): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, secret));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        masked(item, secret || isSecretName(name)),
      ]),
    );
  // True and false give nothing away, and whether something is switched on is worth seeing.
  if (secret && (typeof value === 'string' || typeof value === 'number')) return MASK;
  return typeof value === 'string' ? maskText(value) : value;
}
