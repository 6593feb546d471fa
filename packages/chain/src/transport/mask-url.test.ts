import { expect, it } from 'vitest'
import { maskText, maskUrl } from './mask-url.ts'

it('hides path, query and credentials of a URL', () => {
  expect(maskUrl('https://mainnet.example.io/v3/0123456789abcdef')).toBe('https://mainnet.example.io/***')
  expect(maskUrl('https://example.io/?apikey=secret')).toBe('https://example.io/***')
  expect(maskUrl('https://0a1b2c3d4e5f.eth.example.io')).toBe('https://***.eth.example.io')
  expect(maskUrl('wss://user:password@example.io:8546')).toBe('wss://example.io:8546/***')
  expect(maskUrl('http://127.0.0.1:8545')).toBe('http://127.0.0.1:8545')
  expect(maskUrl('not a url with a secret')).toBe('***')
})

const URL_OF = {
  path: 'https://example.io/v3/k3yS',
  query: 'https://example.io/rpc?network=eth&apiKey=Ab%2Fcd+Ef%3D1',
  alone: 'https://example.io/?0123456789abcdef',
  login: 'https://jane:p%40ss%20word%22@example.io/v3',
  host: 'https://0a1b2c3d4e5f.eth.example.io/',
  named: 'https://jane:public@example.io/v2;id=k3yS/?pin=123;dkey=polygon&key=123',
}

it.each([
  ['path', 'no key k3yS', 'no key ***'],
  ['path', 'no key K3YS.', 'no key ***.'],
  ['path', 'k3ySort is another word', 'k3ySort is another word'],
  ['path', 'at https://other.io/v3/short?x=1 failed', 'at https://other.io/*** failed'],
  ['path', '{"at":"https:\\/\\/other.io\\/v3\\/short"}', '{"at":"https://other.io/***"}'],
  ['path', 'sent Bearer upstream-key', 'sent Bearer ***'],
  ['path', 'eth_call of v3 failed: code 3', 'eth_call of v3 failed: code 3'],
  ['query', 'Ab/cd Ef=1, ab%2fcd+ef%3d1, Ab%252Fcd%20Ef%253D1', '***, ***, ***'],
  ['query', 'APIKEY=AB%2FCD+EF%3D1 of network eth', 'APIKEY=*** of network eth'],
  ['query', 'QWIvY2QgRWY9MQ==', '***=='],
  ['alone', 'quota of 0123456789ABCDEF is used', 'quota of *** is used'],
  ['alone', 'unknown key\n  0123456', 'unknown key ***'],
  ['login', 'jane, p@ss word", p%40ss%20word%22 and p@ss word\\"', '***, ***, *** and ***'],
  ['login', `Basic ${Buffer.from('jane:p@ss word"').toString('base64')}`, 'Basic ***'],
  ['login', Buffer.from('jane:p@ss word"').toString('base64url'), '***'],
  ['host', 'no route to 0A1B2C3D4E5F', 'no route to ***'],
  ['host', 'connect ECONNREFUSED 0a1b2c3d4e5f.eth.example.io:443', 'connect ECONNREFUSED ***.eth.example.io:443'],
  ['named', 'public, k3yS, key 123 and pin 124 of polygon', '***, ***, key *** and pin 124 of polygon'],
  ['query', '{"m":"bad key Ab\\u002Fcd Ef=1"}', '{"m":"bad key ***"}'],
  ['query', 'bad key Ab&#x2F;cd Ef=1 or Ab/\u200bcd Ef=1', 'bad key *** or ***'],
  // URLs of other endpoints, as a proxy repeats them.
  ['path', 'https:\\u002f\\u002fother.io\\u002fv2\\u002fshort', 'https://other.io/***'],
  [
    'path',
    'HTTPS://other.io/v2/short and redis://:pass@10.0.0.1:6379',
    'https://other.io/*** and redis://10.0.0.1:6379/***',
  ],
  ['path', 'Post "other.io:443/v2/short": EOF', 'Post "other.io:443/***": EOF'],
  ['path', 'Location: //jane:pass@other.io/v2/short', 'Location: //***@other.io/***'],
  ['path', 'lookup 0a1b2c3d4e5f.eth.other.io: no such host', 'lookup ***.eth.other.io: no such host'],
  ['path', '{"x-api-key":"abc123"}, apiKey=abcdefghijklmnop', '{"x-api-key":"***"}, apiKey=***'],
  ['path', 'invalid token: expected value; key: 0x12ab34', 'invalid token: expected value; key: 0x12ab34'],
  ['path', 'at client.go:120, go-ethereum/rpc/http.go v1.13.5', 'at client.go:120, go-ethereum/rpc/http.go v1.13.5'],
  ['path', 'red \\u001b[31m, %1b[0m', 'red [31m, [0m'],
] as const)('hides the secrets in the %s of an endpoint: %s', (part, text, shown) => {
  expect(maskText(text, URL_OF[part])).toBe(shown)
})

it('hides a key that is sent beside the URL', () => {
  expect(maskText('key s3cr3t-1 has expired', 'https://example.io', 's3cr3t-1')).toBe('key *** has expired')
})

it('keeps a foreign text short', () => {
  expect(maskText('x'.repeat(5000), 'http://127.0.0.1:8545').length).toBe(300)
})
