import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import type { Address, Hex } from '../../chain.ts'
import { decodersOf } from '../registry.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, USER] = [address('aa'), address('01')]
/** github traderjoe-xyz/joe-v2 src/interfaces/ILBPair.sol */
const abi = new Interface([
  'event Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32 amountsOut, uint24 volatilityAccumulator, bytes32 totalFees, bytes32 protocolFees)',
])
const halves = (x: bigint, y: bigint) => `0x${((y << 128n) | x).toString(16).padStart(64, '0')}`

function read(amountsIn: string, amountsOut: string, protocolFees: string) {
  const values = [USER, USER, 8_388_608, amountsIn, amountsOut, 7, halves(9n, 9n), protocolFees]
  const { topics, data } = abi.encodeEventLog('Swap', values)
  const log = { address: POOL, topics: topics as Hex[], data: data as Hex, transactionIndex: 1, logIndex: 2 }
  return decodersOf(['liquidity-book']).get(log.topics[0] ?? '0x')?.(log) ?? null
}

test('what is paid holds what the protocol takes, whichever token is sold', () => {
  const large = 2n ** 127n
  expect(read(halves(large, 0n), halves(0n, 5n), halves(3n, 0n))).toMatchObject({
    sold: { coin: 0 },
    soldAmount: large + 3n,
    bought: { coin: 1 },
    boughtAmount: 5n,
    recipient: USER,
  })
  expect(read(halves(0n, 100n), halves(large, 0n), halves(0n, 2n))).toMatchObject({
    sold: { coin: 1 },
    soldAmount: 102n,
    bought: { coin: 0 },
    boughtAmount: large,
  })
})

test('a swap that takes both tokens, or neither, is ignored', () => {
  expect(read(halves(1n, 1n), halves(1n, 1n), halves(0n, 0n))).toBeNull()
  expect(read(halves(0n, 0n), halves(1n, 0n), halves(0n, 0n))).toBeNull()
})
