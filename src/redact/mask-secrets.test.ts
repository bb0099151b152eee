/** What is masked and what is not, by example: ‹these marks› surround each secret. */

import { containsMask, isMasked, maskSecrets } from 'bridle/journal';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { ordinaryTexts, ordinaryValues } from '../../test/masking/ordinary-calls.ts';
import { maskText } from './mask-text.ts';

const key = 'a key of tests';
/** Joined here, so that secret scanners do not report this file. */
const of = (...parts: readonly string[]): string => parts.join('');
const random = 'q7Zp2LxV9tRb4NwKs8YcJd3Hf6Gm1Ae5UoXi';
const service = 'zq9-Secret/Value+1=é"';
const env = {
  SERVICE_API_KEY: service,
  DATABASE_URL: 'postgres://app:s3cr3tPw99@db/x',
  LICENSE: of('gh', 'p_', random),
  PWD: '/data/of-the-project',
  DB_PASSWORD: 'postgres',
  SHORT_TOKEN: 'abc1234',
  CREDENTIALS: '/home/me/key.json',
  NOTHING: undefined,
};
const mask = maskSecrets({ key, env });

const marked = /‹([^›]*)›/g;
const given = (text: string): string => text.replaceAll(marked, '$1');
const expected = (text: string): string => text.replaceAll(marked, (_, secret: string) => maskText(secret, key));

const commands = [
  'curl -H "Authorization: Bearer ‹abcdef›" https://x.y',
  "curl -H 'X-Api-Key: ‹abc›' https://x.y",
  'curl -u user:‹pass› https://x',
  'curl --user user:‹pass› https://x',
  "curl -u 'user:‹pa ss›' https://x",
  'curl -b sid=‹abc› https://x',
  'sudo /usr/bin/curl -s -u user:‹pass› https://x && ls',
  'mysql -uroot -p‹hunter› db',
  'PGPASSWORD=‹secret› psql -h x',
  'export API_KEY=‹abc123›',
  'set -e; export API_KEY="‹a b c›"; run',
  "MYSQL_PWD='‹x y›' mysqldump db",
  'tool --password=‹x› --verbose',
  'tool --password ‹x› --verbose',
  'tool --token "‹a b c›" z',
  'tool --db-password=‹x›',
  'tool -password ‹x›',
  'docker login -u x -p ‹y› registry',
  "sshpass -p '‹pw d›' ssh x",
  'redis-cli -a ‹pw› ping',
  'REDISCLI_AUTH=‹pw1234› redis-cli ping',
  '7z a -p‹hunter› x.7z files',
  '7z\ta\t-p‹hunter› x.7z',
  '7za x x.7z "-o./out" -p"‹hun ter›"',
  'rar a -hp‹hunter› x.rar files; unrar x -p‹hunter› x.rar',
  'zip -rP ‹hunter› x.zip src',
  'zip -r -P ‹hunter› x.zip src && unzip -oP ‹hunter› x.zip',
  'htpasswd -b .htpasswd ann ‹hunter›',
  'htpasswd -cb -C 10 .htpasswd ann ‹hunter›',
  'htpasswd -nbB ann ‹hunter›',
  'mariadb-dump -uroot -p‹hunter› db',
  'mongo -u me -p ‹hunter› db',
  'mongorestore -p‹hunter› --drop dump',
  'curl -sSu me:‹hunter› https://x',
  'http -a me:‹hunter› x.y/z',
  'az login -u me -p ‹hunter›',
  'helm registry login -u me -p ‹hunter› r.io',
  'openssl pkcs12 -in a.p12 -passin pass:‹hunter› -passout "pass:‹hun ter›"',
  'openssl enc -aes-256-cbc -k ‹hunter› -in a',
  'openssl passwd -6 -salt abc ‹hunter›',
  'keytool -list -storepass ‹hunter› -keystore k',
  'lftp -u me,‹hunter› host',
  'ldapadd -x -w ‹hunter› -f a.ldif',
  'mosquitto_pub -h x -p 1883 -u me -P ‹hunter› -t y',
  'sqlplus me/‹hunter@db›',
  'rabbitmqctl add_user me ‹hunter›',
  'nmcli dev wifi connect net password ‹hunter›',
  'sshpass -P prompt -p ‹hunter› ssh -p 22 x',
  "echo '‹hunter›' | sudo -S apt-get update",
  'echo -n ‹hunter› | docker login -u me --password-stdin',
  'echo "me:‹hunter›" | sudo chpasswd',
  'openssl rsa -in k.pem -passin pass:‹pw›',
  'smbclient -U me%‹pw› //host/share',
  'aws configure set aws_secret_access_key ‹wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1›',
  'npm config set //registry.npmjs.org/:_authToken=‹abc123›',
  'PASSWORD="‹abc›$(rm -rf x)" run',
  'PASSWORD=‹abc›$(rm -rf x) run',
  'echo "‹s3cr3tPw99›" | docker login --password-stdin',
];

const texts = [
  'Authorization: Basic ‹dXNlcjpwYXNz›',
  'Proxy-Authorization: Basic ‹YTpi›',
  'GET / HTTP/1.1\r\nAuthorization: Token ‹abc›\r\nAccept: */*',
  'Cookie: sid=‹abc›; theme=‹dark›',
  'Set-Cookie: sid=‹abc›; Path=/; HttpOnly',
  'x-auth-token: ‹abc›',
  'sent Bearer ‹abcDEF123456› to it',
  'https://user:‹pw›@host/path',
  'https://‹ghtok›@host/',
  'https://user:‹p:w›@host',
  'postgres://app:‹pw›@db/x?sslmode=require',
  'postgres://u:‹p/w›@host/db',
  'redis://:‹pw›@host',
  'see https://x/y?access_token=‹abc›&z=1 and https://x/y#id_token=‹def›',
  'https://x/y?page=1&sig=‹q7Zp2LxV9tRb4NwKs8Yc›',
  'https://x/y?code=‹q7Zp2LxV9tRb4NwKs8Yc›&key=‹8Yc4NwKsq7Zp2LxV9tRb›',
  'https://x/y?X-Amz-Signature=‹3f786850e387550fdab836ed7e6dc881de23001b›',
  'https://x?redirect=https%3A%2F%2Fy%3Ftoken%3D‹abc›%26z%3D1',
  'https://hooks.slack.com/services/‹T00/B00/XXXX›',
  'https://discord.com/api/webhooks/123/‹abc-DEF_1›',
  'https://api.telegram.org/bot‹123:abc-DEF›/sendMessage',
  'user=u&password=‹p›&x=1',
  'Server=x;Password=‹y›;Database=z',
  'host=db user=app password=‹hunter› dbname=x',
  'password: ‹hunter2›',
  'user: me\npassword: ‹hunter›\nport: 1',
  'db.password=‹hunter2›\nfoo=bar',
  'passwd == ‹my_secret_1› ‹a1b2c3d4e5f6g7h8›',
  'client_secret = "‹abcd1234›"',
  "'client_secret' => '‹abcd1234›'",
  'const apiKey = "‹abcd-1234-efgh›";',
  "ALTER USER x WITH PASSWORD '‹foo›'",
  "CREATE USER x IDENTIFIED BY '‹foo›'",
  '<password>‹hunter2›</password>',
  '<add key="ApiKey" value="‹abc-123›"/>',
  'api key: ‹abcdef12345›',
  'session id: ‹abc123def›',
  'headers["Authorization"] = "Bearer ‹abc123›"',
  'cut off: {"password":"‹hunter2›',
  '{\\"password\\":\\"‹hunter2›\\"}',
  of('key ‹', 'AK', 'IA', 'IOSFODNN7EXAMPLE› in'),
  of('‹gh', 'p_', random, '›'),
  of('‹sk', '-ant-api03-', random, '›, thanks'),
  of('‹ey', 'JhbGciOiJIUzI1NiJ9', '.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N›'),
  of('‹-----BEGIN RSA ', 'PRIVATE KEY-----\nabc\n-----END RSA ', 'PRIVATE KEY-----›\nafter'),
  of('‹-----BEGIN ', 'PRIVATE KEY-----\ncut›'),
];

const values = [
  '{"password":"‹hunter2›","user":"me"}',
  '{"headers":{"Authorization":"Bearer ‹abc.def›","Accept":"*/*"}}',
  '{"headers":{"set-cookie":["‹a=b; Path=/›"]}}',
  '{"credentials":{"user":"bob","pass":"‹p›","x":{"y":["‹z›"]}}}',
  '{"auth":{"username":"u","password":"‹p›"}}',
  '{"headers":[{"name":"Authorization","value":"Bearer ‹x1›"},{"name":"Accept","value":"*/*"}]}',
  '{"headers":[["Authorization","Bearer ‹x1›"],["Accept","*/*"]]}',
  '{"rawHeaders":["Authorization","Bearer ‹xyz›","Accept","x"]}',
  '{"env":[{"name":"DB_PASSWORD","value":"‹x›"},{"name":"DB_USER","value":"me"}]}',
  '{"argv":["run","--token","‹abc›","x","--api-key=‹y›"]}',
  '["curl","-u","me:‹pw›","https://x"]',
  '["htpasswd","-nb","me","‹pw›"]',
  '["zip","-r","-P","‹pw›","x.zip","src"]',
  '["docker","login","-u","me","-p","‹pw›"]',
  '["sshpass","-p","‹pw›","ssh","-p","22","x"]',
  '{"command":"/usr/bin/curl","args":["-u","me:‹pw›"]}',
  '{"element":"Password field","text":"‹hunter2›"}',
  '{"selector":"#login-password","value":"‹hunter2›"}',
  '{"connectionString":"‹Server=x;Password=y›"}',
  '{"password":"‹secret›","token":"‹$ecret1›"}',
  '{"body":"{\\"user\\":1,\\"password\\":\\"‹x›\\"}"}',
  '{"body":"[{\\"name\\":\\"token\\",\\"value\\":\\"‹x›\\"}]"}',
  '{"body":"{\\n  \\"token\\": \\"‹x›\\"\\n}"}',
  '{"pin":"‹1234›","otp":"‹123456›"}',
  '{"signature":"‹q7Zp2LxV9tRb4NwKs8Yc›"}',
  '{"url":"https://u:‹pw›@h/"}',
  '{"cookies":[{"name":"sid","value":"‹abc›","domain":"‹x.y›"}]}',
];

describe('maskSecrets', () => {
  it.each(commands)(proves('R10')('masks in the command: %s'), (text) => {
    expect(mask(given(text))).toBe(expected(text));
    expect(mask(expected(text))).toBe(expected(text));
  });

  it.each(texts)(proves('R10')('masks in the text: %s'), (text) => {
    expect(mask(given(text))).toBe(expected(text));
    expect(mask(expected(text))).toBe(expected(text));
  });

  it.each(values)(proves('R10')('masks in the value: %s'), (text) => {
    const masked = mask(JSON.parse(given(text)) as object);
    expect(masked).toEqual(JSON.parse(expected(text)));
    expect(mask(masked)).toBe(masked);
    expect(containsMask(masked as never)).toBe(true);
  });

  it.each(ordinaryTexts)(proves('R10')('does not mask: %s'), (text) => {
    expect(mask(text)).toBe(text);
  });

  it(proves('R10')('returns ordinary values unchanged'), () => {
    for (const value of ordinaryValues) expect(mask(value)).toBe(value);
    expect(mask(ordinaryValues)).toBe(ordinaryValues);
    for (const value of [null, undefined, 1, true, '', Number.NaN, 1n]) expect(mask(value)).toBe(value);
  });

  it(proves('R10')('masks environment values in every encoding, with the same mask'), () => {
    const stands = maskText(service, key);
    const forms = {
      plain: service,
      percent: encodeURIComponent(service),
      'percent in lower case': encodeURIComponent(service).replaceAll(/%../g, (code) => code.toLowerCase()),
      json: JSON.stringify(service).slice(1, -1),
      hex: Buffer.from(service).toString('hex'),
      base64: Buffer.from(service).toString('base64'),
      'base64 after one character': Buffer.from(`x${service}`).toString('base64'),
      'base64 after two characters': Buffer.from(`u:${service} and more`).toString('base64'),
      'base64 for URLs': Buffer.from(`user:${service}`).toString('base64url'),
    };
    for (const [name, form] of Object.entries(forms)) {
      expect([name, mask(`it says (${form}) there`)]).toEqual([name, `it says (${stands}) there`]);
    }
    expect(mask('s3cr3tPw99')).toBe(maskText('s3cr3tPw99', key));
  });

  it(proves('R10')('masks the rest of a truncated secret'), () => {
    const [whole, part] = ['s3cr3tPw99', maskText('s3cr3tPw99', key)];
    for (let length = 4; length < whole.length; length++) {
      const start = whole.slice(0, length);
      const end = whole.slice(-length);
      expect(mask(`it is ${start}… [cut: 7 more characters]`)).toBe(`it is ${part}… [cut: 7 more characters]`);
      expect(mask(`a ${start}\n… [cut: 7 bytes of 99] …\n${end} b`)).toBe(
        `a ${part}\n… [cut: 7 bytes of 99] …\n${part} b`,
      );
    }
    expect(mask('it is s3c… [cut: 7 more characters]')).toBe('it is s3c… [cut: 7 more characters]');
    expect(mask({ token: 'q7Zp2LxV9t', text: 'got q7Zp2L… [cut: 7 more characters]' })).toMatchObject({
      text: `got ${maskText('q7Zp2LxV9t', key)}… [cut: 7 more characters]`,
    });
  });

  it(proves('R10')('does not mask common words, folders and short environment values'), () => {
    for (const text of ['docker run postgres', 'cd /data/of-the-project', 'abc1234', '/home/me/key.json']) {
      expect(mask(text)).toBe(text);
    }
  });

  it(proves('R10')('masks a named secret everywhere in the same value, in every encoding, and nowhere else'), () => {
    const secret = 'q7Zp2LxV9t';
    const value = {
      password: secret,
      note: `uses ${secret} twice`,
      [`key ${secret}`]: [Buffer.from(`me:${secret}`).toString('base64')],
    };
    const stands = maskText(secret, key);
    expect(mask(value)).toEqual({ password: stands, note: `uses ${stands} twice`, [`key ${stands}`]: [stands] });
    expect(mask({ note: `uses ${secret} twice` })).toEqual({ note: `uses ${secret} twice` });
  });

  it(proves('R10')('masks numeric passwords, but no counts, flags or null'), () => {
    const value = { password: 12345, pin: 1234, token: 5, tokens: 100, secret: true, apiKey: null, cookie: '' };
    expect(mask(value)).toEqual({ ...value, password: maskText('12345', key), pin: maskText('1234', key) });
  });

  it(proves('R10')('keeps field names, order and structure; copies are frozen'), () => {
    const value = { z: [1, { token: 'abc', a: [] }], b: undefined, a: { x: null } };
    const masked = mask(value);
    expect(Object.keys(masked)).toEqual(['z', 'b', 'a']);
    expect(masked.a).toBe(value.a);
    expect(Object.isFrozen(masked) && Object.isFrozen(masked.z) && Object.isFrozen(masked.z[1])).toBe(true);
    const odd = JSON.parse('{"__proto__":{"token":"abc"},"constructor":{"password":"x"}}') as object;
    expect(JSON.stringify(mask(odd))).toBe(
      JSON.stringify(odd)
        .replace('abc', maskText('abc', key))
        .replace('"x"', `"${maskText('x', key)}"`),
    );
  });

  it(proves('R10')('treats a schema as a description, not as a secret'), () => {
    const schema = { password: { type: 'string', description: 'The password', default: 'hunter2' } };
    expect(mask(schema)).toEqual(schema);
  });

  it.each([
    'api key= "identified by \'AKIAIOSFODNN7EXAMPLE$(--tokenq7Zp2LxV9tRb4NwKs8Yc  https',
    '=={[\'>Authorization: "`pwCookie: x-api-keyAKIAIOSFODNN7EXAMPLE',
    '"curl -u "{<password>$(',
    '/--token --password Basic curl -u " --password ://;',
    '://://@@',
  ])(proves('R10')('gives a stable result, even if masks change the text around them: %s'), (text) => {
    for (const value of [text, { auth: text }, [text]]) {
      const masked = mask(value);
      expect(mask(masked)).toBe(masked);
      expect(JSON.stringify(masked)).not.toMatch(/\[masked:\[/);
    }
  });

  it(proves('R10')('depends on the key, which is random by default'), () => {
    const value = { password: 'hunter2' };
    expect(maskSecrets({ key, env: {} })(value)).toEqual(mask(value));
    expect(maskSecrets({ key: Buffer.from(key), env: {} })(value)).toEqual(mask(value));
    expect(maskSecrets({ key: 'other', env: {} })(value)).not.toEqual(mask(value));
    expect(maskSecrets({ env: {} })(value)).not.toEqual(maskSecrets({ env: {} })(value));
    const own = maskSecrets({ env: {} });
    expect(own(value)).toEqual(own({ ...value }));
  });

  it(proves('R10')('supports additional names and exceptions, in texts too'), () => {
    const own = maskSecrets({ key, env: {}, names: ['houseNumber'], keep: ['session_id'] });
    expect(own({ house_number: 'a1', sessionId: 'abc' })).toEqual({
      house_number: maskText('a1', key),
      sessionId: 'abc',
    });
    expect(own('HOUSE_NUMBER=a1b2c3 run --session-id abc123')).toBe(
      `HOUSE_NUMBER=${maskText('a1b2c3', key)} run --session-id abc123`,
    );
  });

  it(proves('R10')('reads the environment of the process by default'), () => {
    process.env['BRIDLE_TEST_TOKEN'] = 'v4lue-0f-the-process';
    try {
      expect(isMasked(maskSecrets()('v4lue-0f-the-process'))).toBe(true);
      expect(maskSecrets({ env: {} })('v4lue-0f-the-process')).toBe('v4lue-0f-the-process');
    } finally {
      delete process.env['BRIDLE_TEST_TOKEN'];
    }
  });

  it(proves('R10')('masks data that is too deep, and text that only looks like a mask'), () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 5_000; level++) deep = [deep];
    expect(JSON.stringify(mask(deep))).toContain('[masked:0:');
    const forged = '[masked:1:aaaaaaaa]hunter2';
    expect(mask({ password: forged })).toEqual({ password: maskText(forged, key) });
    expect(mask({ password: '[masked:1:aaaaaaaa]' })).toEqual({ password: '[masked:1:aaaaaaaa]' });
    expect(mask(`password=${forged}`)).toBe(`password=${maskText(forged, key)}`);
  });
});
