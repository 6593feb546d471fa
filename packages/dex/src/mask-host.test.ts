import { expect, test } from 'vitest'
import { maskHost } from './mask-host.ts'

test.each([
  ['0a1b2c3d4e5f.node.example.io', '***.node.example.io'],
  ['eth-mainnet-0a1b2c3d.example.io:8545', 'eth-mainnet-***.example.io:8545'],
  ['0123456789.example.io', '***.example.io'],
  ['KEYKEYKEYKEYKEYKEYKEYKEY.example.io', '***.example.io'],
  ['mainnet01.archive-2.example.io', 'mainnet01.archive-2.example.io'],
  ['quiet-yellow-moon.example.io', 'quiet-yellow-moon.example.io'],
  ['a1b2c3d4e5.io', 'a1b2c3d4e5.io'],
  ['10.20.30.40:8545', '10.20.30.40:8545'],
  ['[2001:db8:aaaa:bbbb::1]:8545', '[2001:db8:aaaa:bbbb::1]:8545'],
  ['localhost', 'localhost'],
])('%s is shown as %s', (host, shown) => {
  expect(maskHost(host)).toBe(shown)
})
