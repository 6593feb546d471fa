import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import type { Log } from '../../chain/block.ts'
import type { Hex } from '../../chain/hex.ts'
import { decodersOf } from '../registry.ts'

const VERSION_1 =
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint112 reserve0, uint112 reserve1, address indexed to)'
const VERSION_2 =
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint256 fee0, uint256 fee1, uint112 reserve0, uint112 reserve1, address indexed to)'
const USER = `0x${'cc'.repeat(20)}`
const decoders = decodersOf(['euler-swap'])

function decoded(abi: string, amounts: readonly bigint[]) {
  const { topics, data } = new Interface([abi]).encodeEventLog('Swap', [USER, ...amounts, 1n, 1n, USER])
  const log: Log = { address: '0x99', topics: topics as Hex[], data: data as Hex, transactionIndex: 0, logIndex: 0 }
  return decoders.get(log.topics[0] ?? '0x')?.(log)
}

const MAX_UINT256 = 2n ** 256n - 1n

test.each<[string, string, readonly bigint[], object | null]>([
  ['token0 for token1', VERSION_1, [100n, 0n, 0n, 90n], { sold: { coin: 0 }, soldAmount: 100n, boughtAmount: 90n }],
  ['token1 for token0', VERSION_1, [0n, 100n, 90n, 0n], { sold: { coin: 1 }, soldAmount: 100n, boughtAmount: 90n }],
  ['what the pool lent and got back is not sold', VERSION_1, [1_000_100n, 0n, 1_000_000n, 90n], { soldAmount: 100n }],
  [
    'an amount that was left in the pool is netted',
    VERSION_1,
    [100n, 1n, 0n, 90n],
    { soldAmount: 100n, boughtAmount: 89n },
  ],
  ['a loan that is paid back', VERSION_1, [101n, 0n, 100n, 0n], null],
  ['two tokens paid', VERSION_1, [100n, 100n, 0n, 0n], null],
  ['two tokens got', VERSION_1, [0n, 0n, 100n, 100n], null],
  ['nothing', VERSION_1, [0n, 0n, 0n, 0n], null],
  ['the fee is paid, too', VERSION_2, [99n, 0n, 0n, 90n, 1n, 0n], { sold: { coin: 0 }, soldAmount: 100n }],
  ['of token1', VERSION_2, [0n, 99n, 90n, 0n, 0n, 1n], { sold: { coin: 1 }, soldAmount: 100n, boughtAmount: 90n }],
  ['more than a word', VERSION_2, [MAX_UINT256, 0n, 0n, 90n, 1n, 0n], null],
  ['more than a word of token1', VERSION_2, [0n, MAX_UINT256, 90n, 0n, 0n, 1n], null],
])('%s', (_, abi, amounts, expected) => {
  const event = decoded(abi, amounts)
  if (expected === null) expect(event).toBeNull()
  else expect(event).toMatchObject(expected)
})
