import { expect, it } from 'vitest'
import { maskText, maskUrl } from './mask-url.ts'

it('hides path, query and credentials of a URL', () => {
  expect(maskUrl('https://mainnet.example.io/v3/0123456789abcdef')).toBe('https://mainnet.example.io/***')
  expect(maskUrl('https://example.io/?apikey=secret')).toBe('https://example.io/***')
  expect(maskUrl('wss://user:password@example.io:8546')).toBe('wss://example.io:8546/***')
  expect(maskUrl('http://127.0.0.1:8545')).toBe('http://127.0.0.1:8545')
  expect(maskUrl('not a url with a secret')).toBe('***')
})

it('hides an endpoint’s secrets in what others write', () => {
  const url = 'https://user:longpassword@example.io/v3/0123456789abcdef?token=fedcba9876543210'
  const text = `key 0123456789abcdef or fedcba9876543210\nof longpassword at https://example.io/v3/short?x=1 failed`
  expect(maskText(text, url)).toBe('key *** or *** of *** at https://example.io/*** failed')
})

it('keeps a foreign text short', () => {
  expect(maskText('x'.repeat(5000), 'http://127.0.0.1:8545').length).toBe(300)
})
