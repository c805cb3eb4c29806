import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masked } from '../../src/config/mask.ts';
import { printableSettings, settingsText } from '../../src/config/print.ts';
import { loadData, refusal, valid } from './config-support.ts';

const PEM = '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n';

test('secrets of properties and options are masked in what is printed', async () => {
  const properties = {
    'sasl.username': 'kept',
    'sasl.password': 'hunter2',
    'ssl.key.password': 'hunter2',
    'ssl.key.pem': PEM,
    'ssl.key.location': '/kept/key.pem',
    'ssl.keystore.password': 'hunter2',
    'sasl.oauthbearer.client.secret': 'hunter2',
    'sasl.oauthbearer.config': 'secret=hunter2',
    'sasl.oauthbearer.token.endpoint.url': 'https://kept.example/token',
  };
  const options = {
    dbPassword: 'hunter2',
    pin: { secret: [{ a: 'hunter2', b: 42_424_242 }] },
    apiKey: 'hunter2',
    access_token: 'hunter2',
    usesPassword: true,
    url: 'postgres://kept:hunter2@db.example:5432/kept',
    odd: 'redis://:hunter2@db.example',
    bearer: 'https://hunter2@git.example/kept',
    dsn: 'host=kept password=hunter2 user=kept',
    query: 'https://kept.example/?token=hunter2&kept=1',
    certificate: PEM,
    keyColumn: 'kept',
  };
  const { settings } = await loadData(valid({ kafka: { properties }, handler: { options } }));
  for (const text of [settingsText(settings, 'yaml'), settingsText(settings, 'json')]) {
    assert.doesNotMatch(text, /hunter2|42424242/);
    assert.equal(text.split('kept').length - 1, 11, text);
  }
  const shown = printableSettings(settings) as unknown as typeof settings;
  assert.equal(shown.kafka.properties['sasl.password'], '****');
  assert.equal(shown.handler.options['usesPassword'], true);
  assert.equal(shown.handler.options['url'], 'postgres://kept:****@db.example:5432/kept');
  assert.equal(settings.kafka.properties['sasl.password'], 'hunter2');
});

test('error messages mask secrets too, those of mistyped names included', async () => {
  const data = valid({
    kafka: { properties: { 'sasl.pasword': 'hunter2', 'ssl.key.password': ['hunter2'] } },
    handler: { passwrd: 'hunter2', options: 'postgres://u:hunter2@h' },
    http: { adminToken: 'hunter2', admnToken: 'hunter2' },
  });
  const message = await refusal(loadData(data));
  assert.doesNotMatch(message, /hunter2/);
  assert.match(message, /\*\*\*\*/);
});

test('ordinary text is left as it is', () => {
  for (const text of ['orders', 'a@b.example', 'http://h:80/a', '^x=1', 'key=value', 'monkey=1'])
    assert.equal(masked(text), text);
});
