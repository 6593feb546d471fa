import { expect, test } from 'vitest'
import { maskUrls } from './mask-urls.ts'

test.each([
  ['https://eth.example/v3/KEY', 'https://eth.example/***'],
  ['wss://eth.example:8546/KEY?a=b#c', 'wss://eth.example:8546/***'],
  ['http://127.0.0.1:8545', 'http://127.0.0.1:8545'],
  ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545'],
  ['https://eth.example?key=KEY', 'https://eth.example/***'],
  ['https://KEY@eth.example', 'https://eth.example'],
  ['postgresql://user:p@ss@db:5432/name', 'postgresql://db:5432/***'],
  ['redis://:KEY@redis:6379/0', 'redis://redis:6379/***'],
  ['https://0a1b2c3d4e5f.eth.example/KEY', 'https://***.eth.example/***'],
  ['http://[::1]:8545/KEY', 'http://[::1]:8545/***'],
  ['http://a/KEY,https://b/KEY', 'http://a/***'],
  ['{"url":"https://a/KEY","next":1}', '{"url":"https://a/***","next":1}'],
  ['failed: https://a/KEY\\n  at x (file:///code.js)', 'failed: https://a/***\\n  at x (file:///code.js)'],
  ['two https://a/KEY and wss://b/KEY', 'two https://a/*** and wss://b/***'],
  ['HTTPS://a/KEY', 'HTTPS://a/***'],
  ['is not a URL (http://, wss://)', 'is not a URL (http://, wss://)'],
  ['http://127.0.0.1:8545, then', 'http://127.0.0.1:8545, then'],
  ['nothing to hide', 'nothing to hide'],
])('%s is shown as %s', (text, expected) => {
  expect(maskUrls(text)).toBe(expected)
})
