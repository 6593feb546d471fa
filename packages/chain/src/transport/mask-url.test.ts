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
] as const)('hides the secrets in the %s of an endpoint: %s', (part, text, shown) => {
  expect(maskText(text, URL_OF[part])).toBe(shown)
})

it('hides a key that is sent beside the URL', () => {
  expect(maskText('key s3cr3t-1 has expired', 'https://example.io', 's3cr3t-1')).toBe('key *** has expired')
})

it('keeps a foreign text short', () => {
  expect(maskText('x'.repeat(5000), 'http://127.0.0.1:8545').length).toBe(300)
})
