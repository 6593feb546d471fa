import { type Address, builtInDeployments, type Hex, type Leg } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { openReplay, readRecording } from './replay-node.ts'

/** Buys a taxed token through an aggregator, which takes a fee in coins before it wraps the rest. */
const BOUGHT: Hex = '0x4d988ee17e794be392efc93cab15d1b4b116150987b2be268c94e898d8a7dea4'
const TOKEN: Address = '0x43835ca7646c07b6933d0c1c16ddc41c4cb5600e'
const WETH = builtInDeployments.eth.wrappedNative
const SYSTEM: Address = '0xfffffffffffffffffffffffffffffffffffffffe'
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The coin transfers of its call trace: to router, vault, proxy and wrapper, and the fee, part of which comes back. */
const MOVES: readonly (readonly [from: Address, to: Address, wei: bigint])[] = [
  [
    '0x990f124747d946a083ad3cdea043c34c0687c43c',
    '0x881d40237659c251811cec9c364ef91dc08d300c',
    420_000_000_000_000_000n,
  ],
  [
    '0x881d40237659c251811cec9c364ef91dc08d300c',
    '0x74de5d4fcbf63e00296fd95d33236b9794016631',
    420_000_000_000_000_000n,
  ],
  [
    '0x74de5d4fcbf63e00296fd95d33236b9794016631',
    '0xdef1c0ded9bec7f1a1670819833240f027b25eff',
    416_325_000_000_000_000n,
  ],
  ['0xdef1c0ded9bec7f1a1670819833240f027b25eff', WETH, 416_325_000_000_000_000n],
  ['0x74de5d4fcbf63e00296fd95d33236b9794016631', '0xf326e4de8f66a0bdc0970b79e0924e33c79f1915', 3_675_000_000_000_000n],
  ['0xf326e4de8f66a0bdc0970b79e0924e33c79f1915', '0x990f124747d946a083ad3cdea043c34c0687c43c', 1_000_000_000_000_000n],
]
const word = (value: Address | bigint): Hex =>
  `0x${(typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')}`

function forked(appended: Record<string, Hex>) {
  const recording = readRecording('eth')
  const block = recording.blocks.find(({ transactions }) => transactions.some(({ hash }) => hash === BOUGHT))
  if (block === undefined) throw new Error('not recorded')
  block.appended = appended
  const logs = block.transactions.find(({ hash }) => hash === BOUGHT)?.logs
  MOVES.forEach(([from, to, wei], i) => {
    logs?.push({ address: SYSTEM, topics: [TRANSFER, word(from), word(to)], data: word(wei), index: 10_000 + i })
  })
  return { recording, number: block.number }
}

const FIELDS = { blockAccessListHash: word(7n), slotNumber: '0x9' } as const
const sold = (amount: bigint): Leg => ({ token: WETH, amount, native: true })

test.each<[string, Record<string, Hex>, bigint]>([
  ['with both fields of the fork', FIELDS, 419_000_000_000_000_000n],
  ['with one of them', { slotNumber: '0x9' }, 420_000_000_000_000_000n],
  ['without them', {}, 420_000_000_000_000_000n],
])('the logs of ether under a header %s', async (_, appended, amount) => {
  const { recording, number } = forked(appended)
  const { explain, index } = await openReplay(recording)
  const row = { sell: sold(amount), buy: { token: TOKEN, amount: 14_829_034_112_763n, native: false } }
  expect((await index([number])).filter(({ txHash }) => txHash === BOUGHT)).toMatchObject([row])
  expect(await explain([BOUGHT])).toMatchObject([{ trades: [row], dropped: [] }])
})
