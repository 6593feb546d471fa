import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Log, Transaction } from '../../src/chain.ts'
import { builtInDeployments } from '../../src/deployments/dex-config.ts'
import { toTrades, tradeRules } from '../../src/trades/to-trades.ts'
import type { Hop, Leg } from '../../src/trades/trade.ts'

/** A transaction on Ethereum: its whole receipt, and the hops of verified pools. */
interface Recorded {
  transaction: Transaction
  logs: Log[]
  hops: Hop[]
}

const file = new URL('../fixtures/settled-trades.json.gz', import.meta.url)
const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString(), (_, value: unknown) =>
  typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
) as Recorded[]
const deployment = builtInDeployments.eth
const symbols = new Map(deployment.tokens.map(({ address, symbol }) => [address, symbol]))
const textOf = ({ token, amount, native }: Leg) =>
  `${amount} ${native ? 'ETH' : (symbols.get(token) ?? token.slice(0, 8))}`

/** Returns the trades of a transaction in short form, by the account for which they were settled. */
function rowsOf(hash: string): string[] {
  const found = recorded.find(({ transaction }) => transaction.hash.startsWith(hash))
  if (found === undefined) throw new Error(`${hash} is not recorded`)
  const { transaction, logs, hops } = found
  const block = {
    number: 1,
    hash: '0x01',
    parentHash: '0x00',
    timestamp: 0,
    logs: [],
    transactions: new Map(),
  } as const
  const transactions = [{ transaction, transactionIndex: 0, hops, dropped: [] }]
  const trades = toTrades({ block, transactions }, tradeRules(deployment), new Map([[transaction.hash, logs]]))
  const places = trades.flatMap((trade) => trade.hops.map(({ logIndex }) => logIndex))
  expect(places.sort((a, b) => a - b)).toEqual(hops.map(({ logIndex }) => logIndex))
  return trades.map(({ sell, buy, settledFor }) => {
    return `${textOf(sell)} -> ${textOf(buy)}${settledFor === null ? '' : ` for ${settledFor.slice(0, 8)}`}`
  })
}

test.each([
  ['0xa63befe1', 'a keeper kept 178 DAI', ['5999165484444444445 WETH -> 17957225178971162763495 DAI']],
  ['0xdcb2fbc0', 'a keeper kept 178 DAI', ['4007187418378378379 WETH -> 11988195084496334978572 DAI for 0x0c4e16']],
  ['0x21c7417a', 'a bot kept 1 wei', ['1423970312713218274636 DAI -> 11866260215741975692284 REQ']],
  ['0xcd534384', 'a bot kept 8,202 units', ['81730333190 USDC -> 82013575808 0xa693b1']],
])('%s: %s of what the pools paid, which is what was bought', (hash, _, rows) => {
  expect(rowsOf(hash)).toEqual(rows)
})

test('an order of a batch over two pools is one row, and another account’s hop another one', () => {
  expect(rowsOf('0x7d20948a')).toEqual([
    '5000000000 USDC -> 3212859680968730904624344773 PEPE for 0x829e69',
    // The contract that sells users' coins is nobody's account.
    '9500000000000000000 WETH -> 17462671636 USDC',
  ])
})

test('a batch of four orders is four rows, with what each account gave and got', () => {
  expect(rowsOf('0xd4d16ea7')).toEqual([
    '15463537 WBTC -> 3800000000 USDC for 0x31b602',
    '16000000000000 0xe9b076 -> 4870994011222719015 WETH for 0x0d2f07',
    '99990000 USDT -> 53419767450716028 ETH for 0x34938b',
    '625196843485406960747145 0x375abb -> 134282586091 USDC for 0xaaedd6',
  ])
})

test('orders whose paths are only partly read still belong to their accounts', () => {
  expect(rowsOf('0x5871cd5d')).toEqual([
    '20432428606 USDC -> 31698529460704338198966 0x62b9c7 for 0xf654cb',
    '7734443526456381826329 MORPHO -> 17631876781 USDC for 0x43f9a4',
    '900000000000000000000 ETHFI -> 623082522996339574 ETH for 0xc5c75c',
  ])
})

test('what one account gave one for one is one row, where a part of it went over another token', () => {
  expect(rowsOf('0x5c36bcfa')).toEqual(['219410681102 USDC -> 468800235 WBTC for 0x4e9b2f'])
})

test('several tokens sold over Odos are sold for its user', () => {
  expect(rowsOf('0xedc73ef9')).toEqual([
    '25347248642364588152989 0xb48ef1 -> 2259724991625891 ETH for 0xb3db8a',
    '21952133805449 0x1f7030 -> 5797950335997329 ETH for 0xb3db8a',
  ])
})
