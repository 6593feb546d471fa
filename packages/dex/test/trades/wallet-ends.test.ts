import { expect, test } from 'vitest'
import { readReceipts } from './recorded-receipts.ts'

/** Recorded transactions in which the wallet gave or received something other than what its pools took or paid. */
const { transactions, tradesOf } = readReceipts('wallet-ends')

test.each([
  [
    '0xf6a7b20f',
    'a lending token, minted for what the pool paid',
    ['29717764635144878583 0x4298 -> 97038929680271240 0x030b'],
  ],
  // It repaid a debt of USDC with LINK that it had supplied.
  [
    '0xc01b2429',
    'a lending token, burnt for what the pools took',
    ['401398116320858672944 0xa06b -> 10000000000 0xa0b8'],
  ],
  // Polygon logs each transfer of its coin.
  ['0x05725b44', 'coins less the fee of a router', ['26770000000000000000 0xbbba -> 18735194322221905729 coins']],
  // Its tip of 0.198249 WPOL comes out of the 189.388249 that the pool paid.
  ['0x654bc104', 'a keeper kept a tip of the wrapped coin', ['181844472 0xc213 -> 189190000000000000000 0x0d50']],
  // The wallet gave 791.27 shares of a vault. Only their own events show this, because no pool, settlement or equal
  // amount proves the rate at which they were paid. It received EURe, which is not listed, from a pool that is not
  // verified here.
  ['0xd62b7eaa', 'shares of a vault for a token with two contracts', ['811683377 0xa0b8 -> 703594095 0x1aba']],
  // A token that tracks dividends.
  ['0x8dbc24d1', 'a second token minted as much', ['50000000000000000 coins -> 58070324201317886639330 0x6b96']],
  ['0x31f31332', 'a second token burnt as much', ['348000000000000000000000 0x0eac -> 422295637608262387 0xc02a']],
  // Holders got dividends, in gold, in another token, and in a token that tracks dividends.
  [
    '0x037bdb2e',
    'a taxed token, bought while it paid a dividend',
    ['100000000000000000 0xc02a -> 1006645306052995978563 0xfeeb'],
  ],
  [
    '0xb669e6b9',
    'a taxed token, bought with coins beside a dividend',
    ['25286029767783944 coins -> 146341984112473056552695 0x3cb8'],
  ],
  ['0xaf3d06da', 'a taxed token, sold beside a dividend', ['5000000000000 0x6676 -> 48637791490215078 coins']],
  // 0x wrapped and unwrapped what a router had left of the coins after its fee.
  ['0x73f60df7', 'coins that a router wrapped and unwrapped', ['112554428449964693 coins -> 9548632257 0x226b']],
  ['0x2226e6a7', 'an ERC-404 token with a tax', ['3680000000000000000 0x8b8a -> 2182129186605696007 0x553a']],
  [
    '0x924bfb6f',
    'liquidity that was withdrawn before',
    ['32513947098248696846104920064 0xeb51 -> 1443781895392329728 0xc02a'],
  ],
])('%s: %s', (hash, _, rows) => {
  const recorded = transactions.find((recordedReceipt) => recordedReceipt.hash.startsWith(hash))
  if (recorded === undefined) throw new Error(`${hash} is not recorded`)
  const text = ({ token, amount, native }: { token: string; amount: bigint; native: boolean }) =>
    `${amount} ${native ? 'coins' : token.slice(0, 6)}`
  expect(tradesOf(recorded).map(({ sell, buy }) => `${text(sell)} -> ${text(buy)}`)).toEqual(rows)
})
