import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../../chain.ts'
import { Totals } from '../../totals.ts'
import type { Leg } from '../trade.ts'
import type { AccountNets } from './ledger.ts'
import { Holders } from './trade-accounts.ts'

const WETH: Address = '0xee'
const TOKENS: readonly Address[] = [WETH, '0x0a', '0x0b']
const ACCOUNTS: readonly Address[] = ['0x01', '0x02', '0x03', '0x04']
const net = fc.bigInt(-2n, 2n)
const netsOf = fc.record({ tokens: fc.array(net, { minLength: 3, maxLength: 3 }), coins: net })
const leg = fc.record({ token: fc.constantFrom(...TOKENS), amount: fc.constant(1n), native: fc.boolean() })
const isEnd = ({ token, native }: Leg) => !native || token === WETH

test('accounts hold the trades that looking at each account finds, two at most', () => {
  const cases = fc.record({
    made: fc.array(netsOf, { minLength: 4, maxLength: 4 }),
    areCoinsKnown: fc.boolean(),
    trades: fc.array(fc.record({ sell: leg.filter(isEnd), buy: leg.filter(isEnd) }), { maxLength: 6 }),
  })
  fc.assert(
    fc.property(cases, ({ made, areCoinsKnown, trades }) => {
      const nets = new Map<Address, AccountNets>()
      made.forEach(({ tokens, coins }, at) => {
        const held = tokens.flatMap((amount, of) => (amount === 0n ? [] : [[TOKENS[of] ?? WETH, amount] as const]))
        const ofAccount = { tokens: new Totals(held), isUnclear: false, ...(areCoinsKnown && { coins }) }
        nets.set(ACCOUNTS[at] ?? '0x', ofAccount)
      })
      const of = (account: Address): AccountNets =>
        nets.get(account) ?? { tokens: new Totals<Address>(), isUnclear: false }
      const moved = (account: Address, { token, native }: Leg, sign: bigint) => {
        const { tokens, coins } = of(account)
        if (native && coins === undefined) return true
        return sign * (tokens.get(token) ?? 0n) > 0n || (token === WETH && sign * (coins ?? 0n) > 0n)
      }
      const holders = new Holders(ACCOUNTS, of, WETH)
      for (const { sell, buy } of trades) {
        const held = ACCOUNTS.filter((text) => moved(text, sell, -1n) && moved(text, buy, 1n))
        const expected = sell.native && buy.native ? [] : held
        const found = holders.firstTwoOf({ sell, buy })
        expect(found.length).toBe(Math.min(expected.length, 2))
        expect(expected).toEqual(expect.arrayContaining([...found]))
      }
    }),
    { numRuns: 200 * inject('scale') },
  )
})
