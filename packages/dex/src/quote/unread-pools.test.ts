import { expect, test } from 'vitest'
import { madePool } from '../../test/made-hop.ts'
import type { Address } from '../chain.ts'
import type { QuotablePool } from '../pool.ts'
import { createMarket } from './market.ts'
import { UnreadPools } from './unread-pools.ts'

const [SELL, BUY, NEAR, FAR, TAXED]: Address[] = ['0x01', '0x02', '0x03', '0x04', '0x05']
if (!SELL || !BUY || !NEAR || !FAR || !TAXED) throw new Error('no tokens')

let pools = 0
const pool = (token0: Address, token1: Address): QuotablePool => madePool(`0xa${pools++}` as const, [token0, token1])
const read = (token0: Address, token1: Address) => ({
  pool: pool(token0, token1),
  state: { kind: 'pair', reserve0: 1_000_000n, reserve1: 1_000_000n } as const,
})

/** SELL - NEAR, FAR - BUY, SELL - TAXED - BUY */
const market = createMarket(
  [read(SELL, NEAR), read(FAR, BUY), read(SELL, TAXED), read(TAXED, BUY)],
  new Set([NEAR, FAR]),
)

test.each([
  ['between the two tokens', SELL, BUY, true],
  ['from one to a token that routes lead through', NEAR, BUY, true],
  ['from one to a token that they do not lead through', TAXED, BUY, false],
  ['between two pools that are read', NEAR, FAR, true],
  ['that lies so the other way round', FAR, NEAR, true],
  ['of tokens that no pool of the two leads to', FAR, '0x06', false],
  ['of one token', SELL, SELL, false],
] as const)('a pool %s', (_, token0, token1, expected) => {
  expect(new UnreadPools([pool(token0, token1)]).mightCarry(market, SELL, BUY)).toBe(expected)
})

test('none are part of nothing', () => {
  expect(new UnreadPools().mightCarry(market, SELL, BUY)).toBe(false)
})
