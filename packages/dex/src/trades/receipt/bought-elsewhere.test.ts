import { describe, expect, it, test } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import { onlyEnds, POOL, SECOND, type ShortReceipt, TRADER } from '../../../test/trades/short-receipt.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Leg, PoolTrade } from '../trade.ts'

const [FOO, BAR, OTHER, THIRD] = [at('f00'), at('ba1'), at('0e'), at('03')]
const DEAD: Address = `0x${'0'.repeat(36)}dead`
const leg = (token: Address, amount: bigint): Leg => ({ token, amount, native: false })
const SALE: PoolTrade = { sell: leg(FOO, 95n), buy: leg(BAR, 50n), hops: [madeHop(5, [FOO, 95n], [BAR, 50n])] }
const paid = (amount: bigint) => [FOO, TRADER, POOL, amount] as const
const got = (amount: bigint, token = BAR, by = TRADER) => [token, POOL, by, amount] as const

describe('a token bought for another account', () => {
  it.each<[string, bigint, NonNullable<ShortReceipt['moved']>]>([
    ['what the only other holder got', 47n, [got(47n, BAR, OTHER)]],
    ['that, without the token’s own part', 47n, [got(47n, BAR, OTHER), got(3n, BAR, BAR)]],
    ['that, without what was burnt', 47n, [got(47n, BAR, OTHER), got(2n, BAR, DEAD), got(1n, BAR, ZERO_ADDRESS)]],
    ['that, without what another pool got', 47n, [got(47n, BAR, OTHER), got(3n, BAR, SECOND)]],
    ['that, with a fifth less than the pools paid', 40n, [got(40n, BAR, OTHER)]],
    ['the pools’ where that is less: a slice of it', 50n, [got(39n, BAR, OTHER)]],
    ['that, with more than the pools paid', 90n, [got(90n, BAR, OTHER)]],
    ['the pools’ with two holders', 50n, [got(40n, BAR, OTHER), got(10n, BAR, THIRD)]],
    ['the pools’ with none', 50n, [got(50n, BAR, SECOND)]],
  ])('is %s', (_, amount, moved) => {
    expect(onlyEnds([SALE], { moved: [paid(100n), ...moved] })).toMatchObject({
      sell: leg(FOO, 100n),
      buy: leg(BAR, amount),
    })
  })
})

test('of a token that takes nine tenths of a transfer the account got a tenth', () => {
  expect(onlyEnds([SALE], { moved: [paid(95n), got(5n)] })).toMatchObject({ buy: leg(BAR, 5n) })
})
